import { readFileSync } from 'node:fs'

/** A numbered step of the guide: the file that it names, and its code. */
export interface Step {
  file: string
  blocks: readonly { kind: string; code: string }[]
}

/** The steps of `docs/internals/add-a-resource.md` that write code. */
export function guideSteps(): Step[] {
  const page = readFileSync(
    new URL('../../docs/internals/add-a-resource.md', import.meta.url),
    'utf8',
  )
  return page
    .split(/^## /m)
    .map((chapter) => ({
      file: /^\d\. .*: `(.+)`\n/.exec(chapter)?.[1] ?? '',
      blocks: [...chapter.matchAll(/^```(ts|diff)\n(.*?)^```/gms)].map(
        ([, kind = '', code = '']) => ({ kind, code }),
      ),
    }))
    .filter(({ file }) => file !== '')
}

/** The text of a file after its step: the code of the step, or the previous text with the diff applied. */
export function afterStep({ file, blocks }: Step, before: string | undefined): string {
  let text = before
  for (const { kind, code } of blocks) {
    if ((kind === 'diff') !== (text !== undefined))
      throw new Error(`${file} is ${text === undefined ? 'not there' : 'there already'}`)
    text = kind === 'ts' ? code : changed(file, text ?? '', code)
  }
  return text ?? ''
}

function changed(file: string, text: string, diff: string): string {
  const lines = diff.trimEnd().split('\n')
  const side = (mark: string): string =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(mark))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const parts = text.split(side('-'))
  if (parts.length !== 2) throw new Error(`${file} has not once what the guide shows:\n${diff}`)
  return parts.join(side('+'))
}
