"""What is for sale? Products, prices and sizes, in one vocabulary for pages and for queries."""
