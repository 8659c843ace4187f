// MIL
