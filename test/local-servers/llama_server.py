"""Starts llama.cpp's own HTTP server: llama_server.py MODEL PORT"""

import sys
import threading

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 8192
# One slot and one thread: the responses are the same in each run, on a busy machine, too.
params.n_parallel = 1
params.use_jinja = True
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print("listens on", server.listening_address, flush=True)
threading.Event().wait()
