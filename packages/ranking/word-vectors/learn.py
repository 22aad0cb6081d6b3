"""Learns the word vectors of ../src/word-vectors/word-vectors.json.

    python learn.py MODEL_FOLDER WORDNET_FOLDER PACKAGES_FILE CACHE_FILE OUTPUT

MODEL_FOLDER has the all-MiniLM-L6-v2 sentence model (model.onnx, tokenizer.json; Apache-2.0), WORDNET_FOLDER the data files
of WordNet 3 (Debian's wordnet-base), PACKAGES_FILE the output of `apt-cache dumpavail`. Needs numpy, scipy, onnxruntime,
tokenizers, and node on the path.

1. Prior: the model's vector of each word by itself; words of one stem share their mean. (As in Model2Vec, Tulkens & van
   Dongen 2024.)
2. Fit: the vectors change so that the idf-weighted sum over the words of a sentence comes near the model's vector of the
   sentence, by ridge regression towards the prior. The sentences are glosses of WordNet and descriptions of Debian packages,
   so that no tool and no query of a retrieval set is among them. (The aim of Tokenlearn, Minish Lab 2024, as linear regression.)
3. Principal components, and 4 bits for each number.
"""

import base64, collections, json, os, random, re, subprocess, sys
import numpy as np
import onnxruntime
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

GLOSSES, DESCRIPTIONS = 60_000, 50_000
MAX_CHARS, MAX_TITLE_CHARS = 300, 200
LEAST_SENTENCES = 3
RIDGE, ITERATIONS = 1.0, 25
DIMENSIONS, WHITENING = 96, 0.25
LEVELS, DEVIATIONS = 7, 2.5


def main(model, wordnet, packages, cache, output):
    sentences = sample(sorted(glosses(wordnet)), sorted(descriptions(packages)))
    encoder = Encoder(model)
    counts = collections.Counter(word for line in sentences for word in set(re.findall("[a-z]{2,}", line.lower())))
    words = sorted(word for word in counts if counts[word] >= LEAST_SENTENCES)
    stems, prior = prior_vectors(words, encoder.encode(words), [counts[word] for word in words])
    if not os.path.exists(cache):
        np.save(cache, encoder.encode(sentences).astype(np.float16))
    vectors = np.load(cache).astype(np.float32)
    place = {stem: at for at, stem in enumerate(stems)}
    tokens = [[place[token] for token in line if token in place] for line in tokens_of(sentences)]
    learnt, known = fit(prior, tokens, vectors)
    write(output, stems, principal_components(learnt, DIMENSIONS))
    print(f"{len(stems)} stems, {known} sentences")


def sample(defined, described):
    random.seed(1)
    random.shuffle(defined)
    random.shuffle(described)
    sentences = defined[:GLOSSES] + described[:DESCRIPTIONS]
    random.shuffle(sentences)
    return sentences


def glosses(folder):
    """Definitions with the words that they define, and examples of their use."""
    lines = set()
    for part in ("noun", "verb", "adj", "adv"):
        for line in open(os.path.join(folder, f"data.{part}"), encoding="latin1"):
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition("|")
            fields = head.split()
            words = [fields[4 + 2 * at].replace("_", " ") for at in range(int(fields[3], 16))]
            definition, *examples = [piece.strip() for piece in gloss.split(";")]
            lines.add(f"{', '.join(words[:3])}: {definition}"[:MAX_CHARS])
            lines.update(text.strip('"')[:MAX_CHARS] for text in examples if text.startswith('"') and len(text) > 15)
    return lines


def descriptions(file):
    """Short descriptions of packages, and the first sentences of the long ones."""
    lines = set()
    for entry in open(file, encoding="utf8").read().split("\n\n"):
        found = re.search(r"^Description(?:-en)?: (.*)((?:\n .*)*)", entry, re.M)
        if not found:
            continue
        lines.add(found.group(1)[:MAX_TITLE_CHARS])
        body = " ".join(line.strip() for line in found.group(2).split("\n") if line.strip() != ".")
        lines.update(text for text in re.split(r"(?<=[.!?])\s+", body)[:4] if 20 < len(text) < MAX_CHARS)
    return lines


def tokens_of(lines):
    """The distinct tokens of each line, as the ranker reads it."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tokens.ts")
    one_line_each = "\n".join(line.replace("\n", " ") for line in lines)
    run = subprocess.run(["node", program], input=one_line_each, capture_output=True, text=True, check=True)
    return [line.split() for line in run.stdout.split("\n")[: len(lines)]]


class Encoder:
    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(64)
        self.tokenizer.no_padding()
        self.session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"))
        self.inputs = [given.name for given in self.session.get_inputs()]

    def encode(self, texts, batch=64):
        """Mean of the token vectors, of length 1."""
        ids = [encoded.ids for encoded in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda at: len(ids[at]))
        vectors = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            padded = np.zeros((len(rows), len(ids[rows[-1]])), np.int64)
            mask = np.zeros_like(padded)
            for at, row in enumerate(rows):
                padded[at, : len(ids[row])] = ids[row]
                mask[at, : len(ids[row])] = 1
            given = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
            states = self.session.run(None, {name: given[name] for name in self.inputs})[0]
            vectors[rows] = unit((states * mask[:, :, None]).sum(1))
        return vectors


def unit(rows):
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def prior_vectors(words, vectors, counts):
    stems = {}
    for at, tokens in enumerate(tokens_of(words)):
        if len(tokens) == 1:
            stems.setdefault(tokens[0], []).append(at)
    means = [np.average(vectors[rows], axis=0, weights=[counts[at] for at in rows]) for rows in stems.values()]
    centred = np.array(means, np.float32) - np.mean(means, axis=0)
    return list(stems), (centred / 2).astype(np.float32)


def fit(prior, tokens, vectors):
    """Solves (B'B + ridge) · change = B' · (vectors − B · prior) by conjugate gradients, all columns at once."""
    known = [row for row, of_line in enumerate(tokens) if of_line]
    frequency = np.zeros(len(prior))
    for of_line in tokens:
        frequency[of_line] += 1
    idf = np.log((len(tokens) + 1) / (frequency + 0.5))
    rows, columns, weights = [], [], []
    for at, row in enumerate(known):
        weight = idf[tokens[row]]
        rows += [at] * len(weight)
        columns += tokens[row]
        weights += list(weight / np.linalg.norm(weight))
    bags = csr_matrix((np.array(weights, np.float32), (rows, columns)), shape=(len(known), len(prior)))
    back = bags.T.tocsr()
    wanted = vectors[known] - vectors[known].mean(0)
    residual = back @ (wanted - bags @ prior)
    change, direction, size = np.zeros_like(prior), residual.copy(), (residual**2).sum(0)
    for _ in range(ITERATIONS):
        image = back @ (bags @ direction) + RIDGE * direction
        step = size / ((direction * image).sum(0) + 1e-12)
        change += step * direction
        residual -= step * image
        size, before = (residual**2).sum(0), size
        direction = residual + (size / (before + 1e-12)) * direction
    return prior + change, len(known)


def principal_components(rows, count):
    centred = rows - rows.mean(0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    components = centred @ directions[:, ::-1][:, :count]
    return components / (components**2).sum(0) ** (WHITENING / 2)


def write(output, stems, rows):
    scaled = np.clip(np.round(rows / (DEVIATIONS * rows.std()) * LEVELS), -LEVELS, LEVELS).astype(np.int8)
    halves = (scaled + 8).astype(np.uint8).reshape(-1)
    numbers = base64.b64encode((halves[0::2] | (halves[1::2] << 4)).tobytes()).decode()
    with open(output, "w") as file:
        json.dump({"dimensions": rows.shape[1], "tokens": " ".join(stems), "numbers": numbers}, file, indent=2)
        file.write("\n")


main(*sys.argv[1:])
