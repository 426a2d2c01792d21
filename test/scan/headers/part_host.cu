int count() { return 3; }
