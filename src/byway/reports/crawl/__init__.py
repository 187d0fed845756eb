"""What did the crawl do? From what the store tells to figures, plots and one page of HTML."""
