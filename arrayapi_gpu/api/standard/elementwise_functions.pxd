from arrayapi_gpu.lazy.build.operators cimport of_array, of_two_arrays
