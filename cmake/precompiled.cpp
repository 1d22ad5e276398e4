// A target that holds a precompiled header needs a source.
int main() {}
