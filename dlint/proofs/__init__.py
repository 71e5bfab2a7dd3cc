"""Programs that show a hazard happen, and stop happening after its remedy, run under a watchdog."""
