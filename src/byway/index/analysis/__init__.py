"""The compiled tokenizer."""
