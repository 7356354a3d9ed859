import { describe, expect, it, test } from 'vitest'
import { asCalled, asOneWord, COMMAND_NAMES } from '../../../src/cli/frame/called-as.ts'
import { buildProgram } from '../../../src/cli/program.ts'

test.each([
  ['out/demo-audit.zip', 'out/demo-audit.zip'],
  ['out/demo-audit (2).zip', '"out/demo-audit (2).zip"'],
  ['out/a&b.zip', '"out/a&b.zip"'],
])('the path %s is printed so that a shell reads one word', (path, word) => {
  expect(asOneWord(path)).toBe(word)
})

// The tests run the sources, so commands are called as in a clone.
describe('a message about commands', () => {
  it('names the commands as they are called in this installation', () => {
    expect(asCalled('callsheet sync; then run callsheet runs 3')).toBe(
      'npm run callsheet -- sync; then run npm run callsheet -- runs 3',
    )
  })

  it.each([
    'the schema callsheet of the database',
    'npx callsheet-other sync',
    '/opt/callsheet status.txt',
    'Callsheet status',
  ])('stays unchanged if it names none: %s', (text) => {
    expect(asCalled(text)).toBe(text)
  })

  it('can name each command of the program', async () => {
    const { commands } = await buildProgram(
      async () => {},
      () => false,
    )
    expect(commands.map((command) => command.name()).toSorted()).toEqual(COMMAND_NAMES)
  })
})
