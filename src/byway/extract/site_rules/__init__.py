"""What do we know of single sites? One TOML file for each; adding a site edits nothing else."""
