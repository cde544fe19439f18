// a script of a test
