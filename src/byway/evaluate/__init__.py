"""Evaluation: measures over judged queries, comparison of weights, and weight tuning."""
