# arrayapi_gpu on NVIDIA GPUs. CUDA comes by pip; the host brings the driver and NVIDIA's container toolkit.
FROM python:3.13-slim

ARG VERSION
ARG ARCH=sm_90
ENV ARRAYAPI_GPU_CACHE_DIRS=/opt/arrayapi_gpu/kernels \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility

# Wheels in the context of the build, if there are any, come before those of the index.
COPY . /opt/arrayapi_gpu/dist
RUN pip install --no-cache-dir --find-links /opt/arrayapi_gpu/dist "arrayapi_gpu[cuda13]==${VERSION}"

# Common kernels are compiled into the image, which needs no GPU. Users may write to their own cache, or have none.
RUN ARRAYAPI_GPU_CACHE_DIR=/opt/arrayapi_gpu/kernels python -m arrayapi_gpu prepare --arch "${ARCH}" \
    && chmod -R a+rX /opt/arrayapi_gpu && useradd --uid 1000 --create-home user
USER 1000
WORKDIR /home/user
CMD ["python", "-m", "arrayapi_gpu"]
