# arrayapi_gpu on CPUs, with Intel's OpenCL runtime. The runtime is proprietary; its licence is in the image.
FROM python:3.13-slim

ARG VERSION
ENV ARRAYAPI_GPU_CACHE_DIRS=/opt/arrayapi_gpu/kernels

# Wheels in the context of the build, if there are any, come before those of the index.
COPY . /opt/arrayapi_gpu/dist
RUN pip install --no-cache-dir --find-links /opt/arrayapi_gpu/dist "arrayapi_gpu[cpu]==${VERSION}"

# Common kernels are compiled into the image. Users may write to their own cache, or have none.
RUN ARRAYAPI_GPU_CACHE_DIR=/opt/arrayapi_gpu/kernels python -m arrayapi_gpu prepare --device opencl \
    && chmod -R a+rX /opt/arrayapi_gpu && useradd --uid 1000 --create-home user
USER 1000
WORKDIR /home/user
CMD ["python", "-m", "arrayapi_gpu"]
