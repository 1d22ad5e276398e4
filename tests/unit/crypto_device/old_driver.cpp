// Stands in for libcuda.so.1 of an older driver: it is there, and says what it is for. The CUDA
// runtime inside the module asks no more of it before it refuses.
extern "C" {

int cuDriverGetVersion(int* version);
int cuDriverGetVersion(int* version) {
  *version = 11040;  // 11.4
  return 0;
}

int cuInit(unsigned flags);
int cuInit(unsigned) {
  return 0;
}

}  // extern "C"
