"""Where data lives and work runs. Each backend fills the ports; none knows of the stages."""
