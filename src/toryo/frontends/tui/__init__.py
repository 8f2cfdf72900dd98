"""The terminal app: branches and agents on one screen that stays open while work goes on."""
