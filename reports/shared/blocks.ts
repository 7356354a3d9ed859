import type { Block, Note, Section } from '../../src/core/define/report.ts'

export function note(tone: Note['tone'], text: string): Note {
  return { kind: 'note', tone, text }
}

/** A sheet that begins with what it is about. */
export function section(title: string, about: string, ...blocks: readonly Block[]): Section {
  return { title, blocks: [note('plain', about), ...blocks] }
}
