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
REGULARISATION = 2
ROUNDS = 400
FOLDS = 5

# How much a picture counts: what was labelled by eye tells more than what a caption mentions or leaves out.
BY_EYE, MENTIONED, NOT_MENTIONED, SCENE, GRAPHIC, EVALUATED = 2.0, 0.6, 0.5, 0.5, 0.4, 2.0
# A logo is often drawn, so a drawing says little against "logo".
DRAWN_LOGO = 0.3

# The share of right answers that a threshold aims at, and the answers (three of four right) assumed before the first is seen.
PRECISION = 0.93
ASSUMED = 3.0
# How much a label by eye says about the pictures of a library: it was chosen because a head was in doubt.
MEASURED_BY_EYE, MEASURED = 0.2, 1.0

GROUPS = {
    "@rooms": "indoor, kitchen, living room, bedroom, bathroom, office, shop, restaurant, furniture, mirror, desk",
    "@town": "city, street, road, building, harbour, bridge, church, railway, skyscraper",
    "@nature": "forest, mountain, field, beach, sea, lake, river, snow, garden, landscape, sand, hill, pasture, wave",
}


def words_of(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def read_features(folder):
    names = (folder / "names.txt").read_text().split("\n")
    features = np.fromfile(folder / "features.f32", np.float32).reshape(len(names), 1280)
    rooted = np.sqrt(np.clip(features, 0, None))
    return dict(zip(names, rooted / np.linalg.norm(rooted, axis=1, keepdims=True)))


def read_captions(folder):
    """Captions by the name of the picture's file: Italian ones of COCO's pictures, English ones of Flickr8k's."""
    captions = {}
    for file in sorted(folder.glob("*.json.gz")):
        document = json.load(gzip.open(file))
        names = {str(image["id"]): image["file_name"][-16:] for image in document["images"]}
        for annotation in document["annotations"]:
            name = names.get(str(annotation["image_id"]))
            if name is not None:
                captions.setdefault(name, []).append(annotation["caption"])
    for line in (folder / "flickr.txt").read_text().split("\n")[1:]:
        name, _, caption = line.partition(",")
        captions.setdefault(f"flickr-{name}", []).append(caption)
    return captions


def count_mentions(words, captions):
    pattern = re.compile(words, re.IGNORECASE)
    return sum(bool(pattern.search(caption)) for caption in captions)


def is_frozen(file):
    return hashlib.sha1(file.encode()).digest()[-1] % 2 == 0


def read_tuning_half():
    """The words of each picture of the evaluation's tuning half; the frozen half is never trained on."""
    document = json.loads((ROOT / "evaluation/labels.json").read_text())
    expand = lambda text: [
        word for entry in words_of(text) for word in (words_of(document["sets"][entry[1:]]) if entry[0] == "@" else [entry])
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
    """Every picture with its features; for each concept whether it is shown (1), lacking (0) or unknown, and how much it counts."""

    def __init__(self, concepts, folders):
        self.concepts = concepts
        self.column = {concept["name"]: index for index, concept in enumerate(concepts)}
        self.names = [name for folder in folders for name in folder]
        self.row = {name: index for index, name in enumerate(self.names)}
        self.features = np.array([vector for folder in folders for vector in folder.values()], np.float32)
        self.shows = np.zeros((len(self.names), len(concepts)), np.float32)
        self.weights = np.zeros_like(self.shows)
        # Only what is surely right measures a head: labels by eye, and the tuning half.
        self.measured = np.zeros_like(self.shows)

    def set(self, name, concept, shows, weight, measures=0.0):
        at = (self.row[name], self.column[concept])
        self.shows[at], self.weights[at], self.measured[at] = shows, weight, measures


def label(examples, folders, captions, labels, tuning):
    coco, scenes, graphics, _ = folders
    scene_words = json.loads((HERE / "scenes.json").read_text())
    indoor = next(concept for concept in examples.concepts if concept["name"] == "indoor")
    food = next(concept for concept in examples.concepts if concept["name"] == "food")
    safe = {
        name
        for name, texts in captions.items()
        if count_mentions(indoor[language_of(name)], texts) >= 2 or count_mentions(food[language_of(name)], texts) >= 3
    }
    for concept in examples.concepts:
        name = concept["name"]
        if concept.get("isGraphic"):
            for picture in list(coco)[::9] + list(scenes)[::5]:
                examples.set(picture, name, 0, NOT_MENTIONED)
        else:
            for picture, texts in captions.items():
                words = concept.get(language_of(picture))
                if not words or picture not in examples.row:
                    continue
                mentions = count_mentions(words, texts)
                if mentions >= 2:
                    examples.set(picture, name, 1, MENTIONED)
                # Few captions mention the sky: where they leave a thing out, only pictures of rooms and plates surely lack it.
                elif mentions == 0 and (picture in safe or not concept.get("isOftenUnmentioned")):
                    examples.set(picture, name, 0, NOT_MENTIONED)
            for shows, key in ((1, "shows"), (0, "lacks")):
                for number in labels.get(name, {}).get(key, []):
                    picture = f"{number:012d}.jpg"
                    if picture in examples.row:
                        examples.set(picture, name, shows, BY_EYE, MEASURED_BY_EYE)
        for picture in graphics:
            label_graphic(examples, concept, picture)
        synonyms = {name, *concept.get("synonyms", [])}
        for file, (expected, allowed) in tuning.items():
            if name in expected:
                examples.set(file, name, 1, EVALUATED, MEASURED)
            elif not synonyms & (expected | allowed):
                examples.set(file, name, 0, EVALUATED, MEASURED)
            elif name in allowed:
                examples.set(file, name, 1, 0.0, MEASURED)
    for picture in scenes:
        words = scene_words.get(picture.split("-")[0], {})
        expand = lambda text: [word for entry in words_of(text) for word in words_of(GROUPS.get(entry, entry))]
        shown = expand(words.get("shows", ""))
        for concept, value in [(word, 0) for word in expand(words.get("lacks", ""))] + [(word, 1) for word in shown]:
            if concept in examples.column and (value or concept not in shown):
                examples.set(picture, concept, value, SCENE)


def label_graphic(examples, concept, picture):
    name, kind = concept["name"], picture.split("-")[0]
    if concept.get("isGraphic"):
        drawn = {"drawing", "logo", "map", "diagram"}
        if name == kind or (name == "drawing" and kind in drawn - {"logo"}):
            examples.set(picture, name, 1, 1.0)
        elif not (name == "drawing" and kind in drawn):
            examples.set(picture, name, 0, DRAWN_LOGO if (name, kind) == ("logo", "drawing") else 1.0)
    elif kind != "drawing" and not (kind == "space" and concept.get("mayBeDark")):
        if not (kind == "screenshot" and concept.get("mayHaveText")):
            examples.set(picture, name, 0, GRAPHIC)


def language_of(picture):
    return "english" if picture.startswith("flickr-") else "italian"


def fit(features, shows, weights):
    """One logistic regression for each concept, all at once; both sides weigh the same, however rare a concept is."""
    x = np.column_stack([features, np.ones(len(features), np.float32)])
    positive, negative = (weights * shows).sum(0), (weights * (1 - shows)).sum(0)
    total = (weights > 0).sum(0)
    balanced = weights * np.where(shows == 1, total / (2 * np.maximum(positive, 1e-6)), total / (2 * np.maximum(negative, 1e-6)))
    balanced = (REGULARISATION * balanced).astype(np.float32)
    sign = np.where(shows == 1, 1, -1).astype(np.float32)
    size = (x.shape[1], shows.shape[1])

    def loss(flat):
        vectors = flat.reshape(size).astype(np.float32)
        margin = sign * (x @ vectors)
        slope = -(balanced * sign / (1 + np.exp(np.clip(margin, -60, 60))))
        gradient = x.T @ slope
        gradient[:-1] += vectors[:-1]
        penalty = 0.5 * float((vectors[:-1].astype(np.float64) ** 2).sum())
        return float((balanced * np.logaddexp(0, -margin)).sum(dtype=np.float64)) + penalty, gradient.ravel().astype(np.float64)

    start = np.zeros(size[0] * size[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS, "maxcor": 12}).x.reshape(size)


def score(features, vectors):
    return 1 / (1 + np.exp(-np.clip(features @ vectors[:-1] + vectors[-1], -60, 60)))


def cross_validate(examples, known):
    """The score of each picture by heads that were trained without it, so that thresholds are not chosen on what was learned."""
    fold = np.array([hashlib.sha1(name.encode()).digest()[0] % FOLDS for name in examples.names])
    scores = np.zeros_like(examples.shows)
    for number in range(FOLDS):
        inside = known & (fold != number)
        vectors = fit(examples.features[inside], examples.shows[inside], examples.weights[inside])
        scores[fold == number] = score(examples.features[fold == number], vectors)
        print(f"fold {number + 1} of {FOLDS}", flush=True)
    return scores


def suggest_threshold(scores, shows, measured):
    """The lowest score above which the share of right answers reaches the goal, seen from above and a little pessimistic."""
    order = np.argsort(-scores)
    right = np.cumsum(measured[order] * shows[order])
    share = (right + 0.75 * ASSUMED) / (np.cumsum(measured[order]) + ASSUMED)
    good = np.flatnonzero((share >= PRECISION) & (shows[order] == 1))
    return f"{scores[order][good[-1]]:.3f}" if len(good) > 0 else "none"


def read_examples(folder):
    concepts = json.loads((HERE / "concepts.json").read_text())
    folders = [read_features(folder / name) for name in ("coco", "scenes", "graphics", "evaluation")]
    folders[3] = {name: vector for name, vector in folders[3].items() if not is_frozen(name)}
    labels = json.loads((HERE / "labels.json").read_text())
    examples = Examples(concepts, folders)
    label(examples, folders, read_captions(folder / "captions"), labels, read_tuning_half())
    return examples


def validate(examples, known):
    """Prints the threshold that cross-validation suggests; the committed ones are in concepts.json."""
    scores = cross_validate(examples, known)
    for index, concept in enumerate(examples.concepts):
        at = examples.measured[:, index] > 0
        suggested = suggest_threshold(scores[at, index], examples.shows[at, index], examples.measured[at, index])
        print(f"{concept['name']}: {suggested} is suggested, {concept['threshold']} is used", flush=True)


def main(folder, only_validates):
    examples = read_examples(folder)
    known = (examples.weights > 0).any(1)
    print(f"{known.sum()} pictures, {len(examples.concepts)} concepts", flush=True)
    if only_validates:
        validate(examples, known)
        return
    vectors = fit(examples.features[known], examples.shows[known], examples.weights[known])
    heads = []
    for concept, vector in zip(examples.concepts, vectors.T):
        scale = float(f"{np.abs(vector[:-1]).max() / 127:.6g}")
        weights = base64.b64encode(np.round(vector[:-1] / scale).astype(np.int8).tobytes()).decode()
        bias = round(float(vector[-1]), 4)
        heads.append(dict(name=concept["name"], threshold=concept["threshold"], bias=bias, scale=scale, weights=weights))
    OUTPUT.write_text(json.dumps(dict(version=2, sources="scripts/train-heads/README.md", concepts=heads), indent=2) + "\n")


main(Path(sys.argv[1]), "--validate" in sys.argv)
