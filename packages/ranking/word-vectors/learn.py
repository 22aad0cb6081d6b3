"""Learns the word vectors of ../src/word-vectors/word-vectors.json.

    python learn.py MODEL_FOLDER WORDNET_FOLDER PACKAGES_FILE MESSAGES_FOLDER WORDS_FILE CACHE_FOLDER OUTPUT

MODEL_FOLDER has the all-MiniLM-L6-v2 sentence model (model.onnx, tokenizer.json; Apache-2.0), WORDNET_FOLDER the data files
of WordNet 3 (Debian's wordnet-base), PACKAGES_FILE the output of `apt-cache dumpavail`, MESSAGES_FOLDER Debian packages,
unpacked, with the Chinese messages of programs (MESSAGE_PACKAGES), WORDS_FILE the word list of jieba 0.42.1 (dict.txt; MIT).
Needs numpy, scipy, onnxruntime, tokenizers, and node on the path.

1. Prior: the model's vector of each word by itself; words of one stem share their mean. (As in Model2Vec, Tulkens & van
   Dongen 2024.)
2. Fit: the vectors change so that the idf-weighted sum over the words of a sentence comes near the model's vector of the
   sentence, by ridge regression towards the prior. The sentences are glosses of WordNet and descriptions of Debian packages,
   so that no tool and no query of a retrieval set is among them. (The aim of Tokenlearn, Minish Lab 2024, as linear regression.)
3. Chinese characters, and pairs of them that are words, by a second fit: their sum comes near the model's vector of the
   English message that a Chinese one translates. So words of both languages have vectors in one space.
4. Principal components of the English words, and 4 bits for each number.
"""

import base64, collections, gettext, glob, json, os, random, re, subprocess, sys
import numpy as np
import onnxruntime
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

GLOSSES, DESCRIPTIONS = 60_000, 50_000
MAX_CHARS, MAX_TITLE_CHARS = 300, 200
LEAST_SENTENCES = 3
RIDGE, ITERATIONS = 1.0, 25
MESSAGES, MESSAGE_RIDGE = 100_000, 0.3
LEAST_MESSAGES = {1: 10, 2: 3}
DIMENSIONS, WHITENING = 96, 0.25
LEVELS, DEVIATIONS = 7, 2.5


MESSAGE_PACKAGES = """audacity-data blender-data darktable digikam-data epiphany-browser-data evolution-common filezilla-common
gimp-data git gnome-calendar gnome-control-center-data gnome-maps gnome-software-common gnucash-common gnumeric-common gramps
homebank inkscape iso-codes kdenlive-data kmymoney-common krita-l10n libgtk-3-common libreoffice-l10n-zh-cn
network-manager-gnome phpmyadmin plasma-workspace-data python3-django shotwell-common transmission-common virt-manager vlc-l10n
wordpress-l10n"""

HAN = "[\u4e00-\u9fff]"


def main(model, wordnet, packages, messages, words_file, cache, output):
    encoder = Encoder(model)
    sentences = sample(sorted(glosses(wordnet)), sorted(descriptions(packages)))
    counts = collections.Counter(word for line in sentences for word in set(re.findall("[a-z]{2,}", line.lower())))
    words = sorted(word for word in counts if counts[word] >= LEAST_SENTENCES)
    stems, prior = prior_vectors(words, encoder.encode(words), [counts[word] for word in words])
    english = fit(prior, placed(stems, tokens_of(sentences)), cached(encoder, sentences, cache, "english.npy"), RIDGE)
    pairs = translations(messages)
    tokens = [[token for token in line if re.fullmatch(f"{HAN}{{1,2}}", token)] for line in tokens_of([of for _, of in pairs])]
    counts = collections.Counter(token for line in tokens for token in line)
    known = {line.split(" ")[0] for line in open(words_file, encoding="utf8")}
    enough = [token for token in counts if counts[token] >= LEAST_MESSAGES[len(token)]]
    pieces = sorted(token for token in enough if len(token) == 1 or token in known)
    vectors = cached(encoder, [english_message for english_message, _ in pairs], cache, "messages.npy")
    chinese = fit(np.zeros((len(pieces), 384), np.float32), placed(pieces, tokens), vectors, MESSAGE_RIDGE)
    write(output, stems + pieces, *principal_components(english, chinese))
    print(f"{len(stems)} stems, {len(pieces)} Chinese characters and words")


def cached(encoder, texts, folder, name):
    file = os.path.join(folder, name)
    if not os.path.exists(file):
        np.save(file, encoder.encode(texts).astype(np.float16))
    return np.load(file).astype(np.float32)


def placed(names, lines):
    place = {name: at for at, name in enumerate(names)}
    return [[place[token] for token in line if token in place] for line in lines]


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


def translations(folder):
    """English messages of programs with their Chinese translations."""
    english = {}
    for file in sorted(glob.glob(f"{folder}/**/zh_CN/LC_MESSAGES/*.mo", recursive=True)):
        for key, translation in gettext.GNUTranslations(open(file, "rb"))._catalog.items():
            message, chinese = plain(key[0] if isinstance(key, tuple) else key), plain(translation)
            if re.search("[A-Za-z]{3}", message) and not re.search(HAN, message) and len(re.findall(HAN, chinese)) > 2:
                english.setdefault(chinese[:MAX_CHARS], message[:MAX_CHARS])
    pairs = [(message, chinese) for chinese, message in sorted(english.items())]
    random.seed(2)
    random.shuffle(pairs)
    return pairs[:MESSAGES]


def plain(message):
    """A message without its context, markup, placeholders and access keys."""
    text = message.rpartition("\x04")[2]
    text = re.sub(r"<[^>]*>|\{[^}]*\}|%(\([a-z_]+\))?[\d$.#+-]*[a-zA-Z]+|\(_?&?[A-Z]\)|\\n", " ", text)
    return " ".join(re.sub(r"[_&~](?=\w)", "", text).split())


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


def fit(prior, tokens, vectors, ridge):
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
        image = back @ (bags @ direction) + ridge * direction
        step = size / ((direction * image).sum(0) + 1e-12)
        change += step * direction
        residual -= step * image
        size, before = (residual**2).sum(0), size
        direction = residual + (size / (before + 1e-12)) * direction
    return prior + change


def principal_components(rows, further):
    """The components of some rows, and of further ones along the same directions."""
    centred = rows - rows.mean(0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    directions = directions[:, ::-1][:, :DIMENSIONS]
    spread = ((centred @ directions) ** 2).sum(0) ** (WHITENING / 2)
    return centred @ directions / spread, further @ directions / spread


def write(output, tokens, rows, further):
    numbers = np.concatenate([rows, further]) / (DEVIATIONS * rows.std())
    scaled = np.clip(np.round(numbers * LEVELS), -LEVELS, LEVELS).astype(np.int8)
    halves = (scaled + 8).astype(np.uint8).reshape(-1)
    numbers = base64.b64encode((halves[0::2] | (halves[1::2] << 4)).tobytes()).decode()
    with open(output, "w") as file:
        json.dump({"dimensions": rows.shape[1], "tokens": " ".join(tokens), "numbers": numbers}, file, indent=2)
        file.write("\n")


main(*sys.argv[1:])
