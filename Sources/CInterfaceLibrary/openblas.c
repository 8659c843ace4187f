/* The functions with which OpenBLAS reads its environment variables, for the copy inside the dynamic library. They
 * replace OpenBLAS's openblas_env.c, which is then not linked. OpenBLAS gets one thread, so that it starts none of
 * its own: the runtime has its own thread pool. Settings that a user makes for another OpenBLAS in the process have
 * no effect on this copy. */
void openblas_read_env(void);
int openblas_verbose(void);
unsigned int openblas_thread_timeout(void);
int openblas_block_factor(void);
int openblas_num_threads_env(void);
int openblas_goto_num_threads_env(void);
int openblas_omp_num_threads_env(void);
int openblas_omp_adaptive_env(void);

void openblas_read_env(void) {}
int openblas_verbose(void) { return 0; }
unsigned int openblas_thread_timeout(void) { return 0; }
int openblas_block_factor(void) { return 0; }
int openblas_num_threads_env(void) { return 1; }
int openblas_goto_num_threads_env(void) { return 0; }
int openblas_omp_num_threads_env(void) { return 0; }
int openblas_omp_adaptive_env(void) { return 0; }
