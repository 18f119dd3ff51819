"""Trains the heads of the built-in AI: python3 scripts/train-heads/train.py <folder>. See the README beside this file."""

import base64
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OUTPUT = ROOT / "src/engines/ai/local/labels/heads.json"
REGULARISATION = 20

# How much a picture counts: what was labelled by eye tells more than what a caption mentions or leaves out.
BY_EYE, BY_EARLIER_EYE, MENTIONED, NOT_MENTIONED, GRAPHIC, EVALUATED = 2.0, 1.5, 0.6, 0.5, 0.4, 1.5
# A logo is often drawn, so a drawing says little against "logo".
DRAWN_LOGO = 0.3


def read_features(folder):
    names = (folder / "names.txt").read_text().split("\n")
    features = np.fromfile(folder / "features.f32", np.float32).reshape(len(names), 1280)
    rooted = np.sqrt(np.clip(features, 0, None))
    return dict(zip(names, rooted / np.linalg.norm(rooted, axis=1, keepdims=True)))


def read_captions(folder):
    """The Italian captions of COCO pictures, by the picture's number."""
    captions = {}
    for file in sorted(folder.glob("*.json.gz")):
        document = json.load(gzip.open(file))
        numbers = {str(image["id"]): int(image["file_name"][-16:-4]) for image in document["images"]}
        for annotation in document["annotations"]:
            number = numbers.get(str(annotation["image_id"]))
            if number is not None:
                captions.setdefault(number, []).append(annotation["caption"])
    return captions


def count_mentions(words, captions):
    pattern = re.compile(words, re.IGNORECASE)
    return sum(bool(pattern.search(caption)) for caption in captions)


def is_frozen(file):
    return hashlib.sha1(file.encode()).digest()[-1] % 2 == 0


def read_tuning_half():
    """The words of each picture of the evaluation's tuning half; the frozen half is never trained on."""
    document = json.loads((ROOT / "evaluation/labels.json").read_text())
    words = lambda text: [word.strip() for word in text.split(",") if word.strip()]
    expand = lambda text: [
        word for entry in words(text) for word in (words(document["sets"][entry[1:]]) if entry[0] == "@" else [entry])
    ]
    pictures = {}
    for file, entry in document["pictures"].items():
        if is_frozen(file):
            continue
        entry = entry if isinstance(entry, dict) else {"must": entry}
        may = entry.get("may", [])
        expected = [word for group in entry["must"] + [entry.get("main", "")] for word in expand(group)]
        pictures[file] = (set(expected), {word for group in ([may] if isinstance(may, str) else may) for word in expand(group)})
    return pictures


class Examples:
    """The examples of one concept: features, whether they show it, and how much each counts."""

    def __init__(self):
        self.features, self.shows, self.weights = [], [], []

    def add(self, features, shows, weight):
        self.features.append(features)
        self.shows.append(shows)
        self.weights.append(weight)

    def fit(self):
        x = np.column_stack([np.array(self.features), np.ones(len(self.features), np.float32)])
        shows = np.array(self.shows)
        sign = np.where(shows == 1, 1.0, -1.0).astype(np.float32)
        # Both sides weigh the same, however rare a concept is among the examples.
        balance = np.where(shows == 1, len(shows) / (2 * shows.sum()), len(shows) / (2 * (1 - shows).sum()))
        weights = np.array(self.weights) * balance

        def loss(vector):
            vector = vector.astype(np.float32)
            margin = sign * (x @ vector)
            slope = -(weights * sign / (1 + np.exp(np.clip(margin, -60, 60)))).astype(np.float32)
            gradient = REGULARISATION * (x.T @ slope)
            gradient[:-1] += vector[:-1]
            penalty = 0.5 * float((vector[:-1] ** 2).sum())
            return REGULARISATION * float((weights * np.logaddexp(0, -margin)).sum()) + penalty, gradient.astype(np.float64)

        return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 150}).x


def collect(concept, sources):
    coco, captions, safe, graphics, tuning, tuning_features, labels = sources
    name = concept["name"]
    examples = Examples()
    if concept.get("isGraphic"):
        for number in list(coco)[: 2 * concept["photographs"] : 2]:
            examples.add(coco[number], 0, NOT_MENTIONED)
        for kind, features in graphics:
            if name == "drawing" and kind == "logo":
                continue
            examples.add(features, int(kind == name), DRAWN_LOGO if (name, kind) == ("logo", "drawing") else 1.0)
    else:
        chosen = {}
        words = concept.get("captions")
        for number, texts in captions.items() if words else []:
            mentions = count_mentions(words, texts)
            if mentions >= 2:
                chosen[number] = (1, MENTIONED)
            # Few captions mention the sky: where they leave a thing out, only pictures of rooms and plates surely lack it.
            elif mentions == 0 and (number in safe or not concept.get("isOftenUnmentioned")):
                chosen[number] = (0, NOT_MENTIONED)
        for weight, by_eye in ((BY_EARLIER_EYE, labels["earlier"]), (BY_EYE, labels["own"])):
            for shows, numbers in ((1, "shows"), (0, "lacks")):
                chosen |= {number: (shows, weight) for number in by_eye.get(name, {}).get(numbers, [])}
        for number, (shows, weight) in chosen.items():
            if number in coco:
                examples.add(coco[number], shows, weight)
        excluded = {"space"} if concept.get("mayBeDark") else set()
        for kind, features in graphics:
            if kind != "drawing" and kind not in excluded and not (kind == "screenshot" and concept.get("mayHaveText")):
                examples.add(features, 0, GRAPHIC)
    synonyms = set(concept.get("synonyms", []))
    for file, (expected, allowed) in tuning.items():
        if name in expected:
            examples.add(tuning_features[file], 1, EVALUATED)
        elif not ({name} | synonyms) & (expected | allowed):
            examples.add(tuning_features[file], 0, EVALUATED)
    return examples


def main(folder):
    concepts = json.loads((HERE / "concepts.json").read_text())
    coco = {int(name[:-4]): vector for name, vector in read_features(folder / "coco").items()}
    captions = {number: texts for number, texts in read_captions(folder / "captions").items() if number in coco}
    patterns = {concept["name"]: concept.get("captions") for concept in concepts}
    safe = {
        number
        for number, texts in captions.items()
        if count_mentions(patterns["indoor"], texts) >= 2 or count_mentions(patterns["food"], texts) >= 3
    }
    graphics = [(name.split("-")[0], vector) for name, vector in read_features(folder / "graphics").items()]
    labels = json.loads((HERE / "labels.json").read_text())
    sources = (coco, captions, safe, graphics, read_tuning_half(), read_features(folder / "evaluation"), labels)

    heads = []
    for concept in concepts:
        examples = collect(concept, sources)
        vector = examples.fit()
        scale = float(f"{np.abs(vector[:-1]).max() / 127:.6g}")
        weights = base64.b64encode(np.round(vector[:-1] / scale).astype(np.int8).tobytes()).decode()
        bias = round(float(vector[-1]), 4)
        heads.append(dict(name=concept["name"], threshold=concept["threshold"], bias=bias, scale=scale, weights=weights))
        print(f"{concept['name']}: {sum(examples.shows)} of {len(examples.shows)} pictures show it", flush=True)
    OUTPUT.write_text(json.dumps(dict(version=1, sources="scripts/train-heads/README.md", concepts=heads), indent=2) + "\n")


main(Path(sys.argv[1]))
