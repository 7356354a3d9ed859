import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { ask } from '../../src/cli/apply/ask.ts'

async function answered(typed: string | undefined): Promise<boolean> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { signal } = new AbortController()
  const answer = ask('Do it?', { input, output, signal })
  if (typed === undefined) input.end()
  else input.write(`${typed}\n`)
  const said = await answer
  expect(String(output.read())).toContain('Do it? [y/N]')
  return said
}

it.each(['y', 'Y', 'yes', ' Yes '])('the answer %j means yes', async (typed) => {
  expect(await answered(typed)).toBe(true)
})

it.each(['', 'n', 'no', 'yep', 'yes please', undefined])(
  'the answer %j means no',
  async (typed) => {
    expect(await answered(typed)).toBe(false)
  },
)

it('a stop signal during a question aborts it, without an answer', async () => {
  const stop = new AbortController()
  const asked = ask('Do it?', {
    input: new PassThrough(),
    output: new PassThrough(),
    signal: stop.signal,
  })
  stop.abort(new Error('stopped'))
  await expect(asked).rejects.toThrow('aborted')
})
