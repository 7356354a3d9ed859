/** Converts a text to at most 80 lower-case letters, digits and hyphens, for use in a file name. */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-+|-+$/g, '').slice(0, 80) || 'unnamed'
}
