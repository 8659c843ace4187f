/*
 * The functions of OpenBLAS that are called. Which cblas.h a system has by that name depends on its choice of a BLAS, and not every one has
 * the last of these.
 */
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };

void cblas_sgemm(
    enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transposed_a, enum CBLAS_TRANSPOSE transposed_b, int m, int n, int k, float alpha,
    const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_sgemv(
    enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transposed, int m, int n, float alpha, const float *a, int lda, const float *x,
    int step_x, float beta, float *y, int step_y);
void openblas_set_num_threads(int threads);
