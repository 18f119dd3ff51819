/** A cell that begins like a formula would be run by the spreadsheet that opens it; an apostrophe makes it text. */
export const plainCell = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
