import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { model, type Node, node, tensor } from '../convert/onnx.ts'
import type { HubModelId } from '../hub/catalog.ts'
import { questions } from '../hub/examination.ts'

/** A repository of the hub: bytes by path. */
export type HubFiles = Map<string, Buffer>

type Options = {
  /** Takes each picture for the next one, so that the examination fails. */
  isConfused?: boolean
  captionOf?: (label: string) => string
}

const edge = 8
const classes = questions.length
/** How sure the tiny models are of the nearest picture. */
const sharpness = 50

/**
 * Models of a few kB in the layout and with the inputs and outputs of the real ones. They know the twelve pictures of the
 * examination by their pixels at 8 × 8, and the words of its questions.
 */
export async function makeTinyModel(id: HubModelId, options: Options = {}): Promise<HubFiles> {
  const eyes = await makeEyes(options)
  return id === 'siglip2' ? makeSiglip(eyes) : makeFlorence(eyes, options)
}

export const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

export const examinationPicture = (file: string) =>
  fileURLToPath(new URL(join('../hub/pictures', file), import.meta.url))

/** From pixels to one number for each picture: 1 for the nearest, 0 for the others. */
type Eyes = { tensors: Buffer[]; nodes: Node[]; output: string }

async function makeEyes({ isConfused = false }: Options): Promise<Eyes> {
  const pictures = await Promise.all(questions.map(({ file }) => pixelsOf(file)))
  const shown = pictures.map((_, index) => pictures[(index + (isConfused ? 1 : 0)) % classes]!)
  const size = 3 * edge * edge
  const weights = new Float32Array(size * classes)
  shown.forEach((pixels, index) => {
    for (let at = 0; at < size; at++) weights[at * classes + index] = sharpness * pixels[at]!
  })
  const halfLengths = shown.map((pixels) => (-sharpness * pixels.reduce((sum, value) => sum + value * value, 0)) / 2)
  return {
    tensors: [
      tensor('eye_weights', [size, classes], 'float', weights),
      tensor('eye_bias', [classes], 'float', Float32Array.from(halfLengths)),
    ],
    nodes: [
      { operator: 'Flatten', inputs: ['pixel_values'], output: 'flat', attributes: { axis: 1 } },
      { operator: 'MatMul', inputs: ['flat', 'eye_weights'], output: 'products' },
      { operator: 'Add', inputs: ['products', 'eye_bias'], output: 'scores' },
      { operator: 'Softmax', inputs: ['scores'], output: 'nearest', attributes: { axis: 1 } },
    ],
    output: 'nearest',
  }
}

/** As the image processors of the models do it: squeezed, from -1 to 1, one color after the other. */
async function pixelsOf(file: string): Promise<Float32Array> {
  const data = await sharp(examinationPicture(file)).resize(edge, edge, { fit: 'fill' }).removeAlpha().raw().toBuffer()
  const area = edge * edge
  return Float32Array.from({ length: 3 * area }, (_, at) => data[(at % area) * 3 + Math.floor(at / area)]! / 127.5 - 1)
}

const pixelInput = { name: 'pixel_values', type: 'float' as const, dimensions: ['batch', 3, edge, edge] }
const wordInput = { name: 'input_ids', type: 'int64' as const, dimensions: ['batch', 'words'] }

function makeSiglip(eyes: Eyes): HubFiles {
  const vocabulary = ['<pad>', '<eos>', '<unk>', ...new Set(questions.flatMap(wordsOf))]
  const width = classes + 1
  const table = new Float32Array(vocabulary.length * width)
  vocabulary.forEach((word, row) => {
    // The last number keeps a text without a known word from having no direction.
    table[row * width + classes] = 0.001
    const owners = questions.flatMap((question, index) => (wordsOf(question).includes(word) ? [index] : []))
    if (owners.length === 1) table[row * width + owners[0]!] = 1
  })
  return new Map([
    ['config.json', json({ model_type: 'siglip', text_config: {}, vision_config: {} })],
    ['preprocessor_config.json', json({ image_processor_type: 'SiglipImageProcessor', ...imageConfig })],
    ['tokenizer.json', makeTokenizer(vocabulary, ['<pad>', '<eos>', '<unk>'])],
    [
      'onnx/vision_model_int8.onnx',
      graph({
        tensors: [...eyes.tensors, tensor('nothing', [1, 1], 'float', Float32Array.of(0))],
        nodes: [
          ...eyes.nodes,
          { operator: 'Concat', inputs: [eyes.output, 'nothing'], output: 'pooler_output', attributes: { axis: 1 } },
        ],
        inputs: [pixelInput],
        outputs: [{ name: 'pooler_output', type: 'float', dimensions: ['batch', width] }],
      }),
    ],
    [
      'onnx/text_model_int8.onnx',
      graph({
        tensors: [
          tensor('table', [vocabulary.length, width], 'float', table),
          tensor('axes', [1], 'int64', BigInt64Array.of(1n)),
        ],
        nodes: [
          { operator: 'Gather', inputs: ['table', 'input_ids'], output: 'rows', attributes: { axis: 0 } },
          { operator: 'ReduceSum', inputs: ['rows', 'axes'], output: 'pooler_output', attributes: { keepdims: 0 } },
        ],
        inputs: [wordInput],
        outputs: [{ name: 'pooler_output', type: 'float', dimensions: ['batch', width] }],
      }),
    ],
  ])
}

/** Words of a question that tell something: not those of the sentence around the label. */
const wordsOf = ({ label, search }: (typeof questions)[number]) =>
  `${label} ${search}`
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => !['this', 'is', 'a', 'photo', 'of'].includes(word))

/**
 * The first word is the caption of the nearest picture, or its label with a box if the prompt says "locate", and the second
 * one ends the text.
 */
function makeFlorence(eyes: Eyes, { captionOf = (label) => `A ${label}.` }: Options): HubFiles {
  const special = ['<s>', '<pad>', '</s>', '<unk>']
  const end = 2
  const locate = special.length + 2 * classes
  const captionsOf = questions.map(({ label }) => captionOf(label))
  const regions = questions.map(({ label }) => `${label}<loc_100><loc_100><loc_900><loc_900>`)
  const vocabulary = [...special, ...captionsOf, ...regions, 'locate']
  // The numbers of an embedding: one for each picture, whether it is the first word or a later one, and "locate".
  const [first, later, isLocate, width] = [classes, classes + 1, classes + 2, classes + 3]
  const table = new Float32Array(vocabulary.length * width)
  vocabulary.forEach((_, row) => {
    table[row * width + (row === end ? first : later)] = 1
  })
  table[locate * width + isLocate] = 1
  const ends = new Float32Array(width * vocabulary.length)
  ends[later * vocabulary.length + end] = 10
  const captions = new Float32Array(width * vocabulary.length)
  questions.forEach((_, index) => {
    const caption = special.length + index
    captions[index * vocabulary.length + caption] = 10
    captions[index * vocabulary.length + caption + classes] = 5
    captions[isLocate * vocabulary.length + caption + classes] = 20
  })
  const select = new Float32Array(width)
  select[first] = 1
  const embeds = (name: string) => ({ name, type: 'float' as const, dimensions: ['batch', `length_${name}`, width] })
  const matrix = (name: string, data: Float32Array) => tensor(name, [width, vocabulary.length], 'float', data)
  return new Map([
    ['config.json', json(florenceConfig)],
    [
      'generation_config.json',
      json({ decoder_start_token_id: end, eos_token_id: end, pad_token_id: 1, bos_token_id: 0 }),
    ],
    [
      'preprocessor_config.json',
      json({
        processor_class: 'Florence2Processor',
        image_processor_type: 'CLIPImageProcessor',
        ...imageConfig,
        tasks_answer_post_processing_type: { '<DETAILED_CAPTION>': 'pure_text', '<OD>': 'description_with_bboxes' },
        task_prompts_without_inputs: {
          '<DETAILED_CAPTION>': 'Describe in detail what is shown in the image.',
          '<OD>': 'Locate the objects with category name in the image.',
        },
        task_prompts_with_input: {},
      }),
    ],
    [
      'tokenizer_config.json',
      json({ tokenizer_class: 'BartTokenizer', pad_token: '<pad>', eos_token: '</s>', unk_token: '<unk>' }),
    ],
    ['tokenizer.json', makeTokenizer(vocabulary, special)],
    [
      'onnx/vision_encoder_int8.onnx',
      graph({
        tensors: [
          ...eyes.tensors,
          tensor('flags', [1, 3], 'float', new Float32Array(3)),
          tensor('shape', [3], 'int64', BigInt64Array.of(1n, 1n, BigInt(width))),
        ],
        nodes: [
          ...eyes.nodes,
          { operator: 'Concat', inputs: [eyes.output, 'flags'], output: 'wide', attributes: { axis: 1 } },
          { operator: 'Reshape', inputs: ['wide', 'shape'], output: 'image_features' },
        ],
        inputs: [pixelInput],
        outputs: [embeds('image_features')],
      }),
    ],
    [
      'onnx/embed_tokens_int8.onnx',
      graph({
        tensors: [tensor('table', [vocabulary.length, width], 'float', table)],
        nodes: [
          { operator: 'Gather', inputs: ['table', 'input_ids'], output: 'inputs_embeds', attributes: { axis: 0 } },
        ],
        inputs: [wordInput],
        outputs: [embeds('inputs_embeds')],
      }),
    ],
    [
      'onnx/encoder_model_int8.onnx',
      graph({
        tensors: [],
        nodes: [{ operator: 'Identity', inputs: ['inputs_embeds'], output: 'last_hidden_state' }],
        inputs: [embeds('inputs_embeds')],
        outputs: [embeds('last_hidden_state')],
      }),
    ],
    [
      'onnx/decoder_model_merged_int8.onnx',
      graph({
        tensors: [matrix('ends', ends), matrix('captions', captions), tensor('select', [width, 1], 'float', select)],
        nodes: [
          {
            operator: 'ReduceMax',
            inputs: ['encoder_hidden_states'],
            output: 'seen',
            attributes: { axes: [1], keepdims: 1 },
          },
          { operator: 'MatMul', inputs: ['seen', 'captions'], output: 'caption' },
          { operator: 'MatMul', inputs: ['inputs_embeds', 'select'], output: 'is_first' },
          { operator: 'Mul', inputs: ['is_first', 'caption'], output: 'begin' },
          { operator: 'MatMul', inputs: ['inputs_embeds', 'ends'], output: 'finish' },
          { operator: 'Add', inputs: ['begin', 'finish'], output: 'logits' },
        ],
        inputs: [embeds('inputs_embeds'), embeds('encoder_hidden_states')],
        outputs: [{ name: 'logits', type: 'float', dimensions: ['batch', 'length_inputs_embeds', vocabulary.length] }],
      }),
    ],
  ])
}

const imageConfig = {
  do_resize: true,
  size: { height: edge, width: edge },
  resample: 3,
  do_center_crop: false,
  do_rescale: true,
  rescale_factor: 1 / 255,
  do_normalize: true,
  image_mean: [0.5, 0.5, 0.5],
  image_std: [0.5, 0.5, 0.5],
}

const florenceConfig = {
  model_type: 'florence2',
  is_encoder_decoder: true,
  vision_config: {},
  text_config: {
    model_type: 'florence2_language',
    d_model: classes + 3,
    encoder_layers: 1,
    decoder_layers: 1,
    encoder_attention_heads: 1,
    decoder_attention_heads: 1,
  },
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

/** Whole words only; a caption may be a word with spaces, as it is only ever written. */
const makeTokenizer = (vocabulary: string[], special: string[]) =>
  json({
    version: '1.0',
    added_tokens: special.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: false },
    model: {
      type: 'WordPiece',
      unk_token: '<unk>',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  })

type Graph = Omit<Parameters<typeof model>[0], 'nodes'> & { nodes: Node[] }

const graph = ({ nodes, ...rest }: Graph) => model({ nodes: nodes.map(node), ...rest })
