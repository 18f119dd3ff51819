// The few elements of WordprocessingML (ECMA-376) that a list of pictures and paragraphs needs. All texts passed to these
// functions are escaped already.

export type Picture = { number: number; file: string; width: number; height: number; description: string }
type Style = 'Title' | 'Heading2' | 'Quiet'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const schemas = 'http://schemas.openxmlformats.org'
const word = `xmlns:w="${schemas}/wordprocessingml/2006/main"`
const relationship = `${schemas}/officeDocument/2006/relationships`
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
/** Word measures pictures in EMU, 9,525 per pixel. */
const partsPerPixel = 9525

const run = (text: string, style = '') => `<w:r>${style}<w:t xml:space="preserve">${text}</w:t></w:r>`

export const paragraph = (text: string, style?: Style) =>
  `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}${run(text)}</w:p>`

export const heading = (style: Style, text: string) => paragraph(text, style)

/** `number` counts the links of the document. */
export const linked = (number: number, text: string) =>
  `<w:p><w:hyperlink r:id="link${number}">${run(text, '<w:rPr><w:rStyle w:val="Link"/></w:rPr>')}</w:hyperlink></w:p>`

export function pictured({ number, width, height, description }: Picture) {
  const [cx, cy] = [width * partsPerPixel, height * partsPerPixel]
  return `<w:p><w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="${cx}" cy="${cy}"/><wp:docPr id="${number}" name="Picture ${number}" descr="${description}"/><a:graphic><a:graphicData uri="${schemas}/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="${number}" name="Picture ${number}"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="picture${number}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${cx}" cy="${cy}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
}

/** The parts before and after the pictures. */
export const wordParts = {
  *before() {
    yield part('[Content_Types].xml', [contentTypes])
    yield part('_rels/.rels', relationships([entry('document', 'officeDocument', 'word/document.xml')]))
    yield part('word/styles.xml', [styles])
  },
  *after({ body, pictures, links }: { body: string[]; pictures: string[]; links: string[] }) {
    const entries = [
      entry('styles', 'styles', 'styles.xml'),
      ...pictures.map((file, index) => entry(`picture${index + 1}`, 'image', file)),
      ...links.map((address, index) => entry(`link${index + 1}`, 'hyperlink', address, ' TargetMode="External"')),
    ]
    yield part('word/_rels/document.xml.rels', relationships(entries))
    yield part('word/document.xml', [documentStart, ...body, documentEnd])
  },
}

const part = (name: string, texts: string[]) => ({ name, data: Buffer.from(`${declaration}${texts.join('')}`) })

const entry = (id: string, type: string, target: string, mode = '') =>
  `<Relationship Id="${id}" Type="${relationship}/${type}" Target="${target}"${mode}/>`

const relationships = (entries: string[]) => [
  `<Relationships xmlns="${schemas}/package/2006/relationships">`,
  ...entries,
  '</Relationships>',
]

const contentTypes = `<Types xmlns="${schemas}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="jpg" ContentType="image/jpeg"/><Override PartName="/word/document.xml" ContentType="${wordType}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${wordType}.styles+xml"/></Types>`

const paragraphStyle = (id: string, name: string, look: string) =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${look}</w:style>`

const styles = [
  `<w:styles ${word}><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="80"/></w:pPr></w:pPrDefault></w:docDefaults>`,
  paragraphStyle('Title', 'Title', '<w:pPr><w:spacing w:after="120"/></w:pPr><w:rPr><w:sz w:val="48"/></w:rPr>'),
  paragraphStyle(
    'Heading2',
    'heading 2',
    '<w:pPr><w:keepNext/><w:spacing w:before="280" w:after="80"/><w:outlineLvl w:val="1"/></w:pPr><w:rPr><w:b/><w:sz w:val="26"/></w:rPr>',
  ),
  paragraphStyle('Quiet', 'Quiet', '<w:rPr><w:color w:val="666666"/></w:rPr>'),
  '<w:style w:type="character" w:styleId="Link"><w:name w:val="Hyperlink"/><w:rPr><w:color w:val="0563C1"/><w:u w:val="single"/></w:rPr></w:style></w:styles>',
].join('')

const documentStart = `<w:document ${word} xmlns:r="${relationship}" xmlns:wp="${schemas}/drawingml/2006/wordprocessingDrawing" xmlns:a="${schemas}/drawingml/2006/main" xmlns:pic="${schemas}/drawingml/2006/picture"><w:body>`
/** A4 with margins of one inch. */
const documentEnd =
  '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>'
