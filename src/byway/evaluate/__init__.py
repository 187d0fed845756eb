"""How good are the answers? Measures over judged queries, comparisons, and weights learnt."""
