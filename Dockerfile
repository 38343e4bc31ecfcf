# docker build -t closedhand . && docker run --init --publish 8025:8025 closedhand
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir --constraint /source/constraints.txt '/source[web]'
RUN useradd --create-home player
USER player
WORKDIR /home/player
ENV NUMBA_CACHE_DIR=/home/player/kernels
RUN closedhand compile
EXPOSE 8025
CMD ["closedhand", "web", "--host", "0.0.0.0", "--no-browser"]
