import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { openPrompt } from '../../../src/cli/init/prompt.ts'

/** Opens a prompt on streams that behave like a terminal: they echo typed text unless it is hidden. */
function onTerminal() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  const prompt = openPrompt({ input, output, signal: stop.signal, terminal: true })
  let shown = ''
  output.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  return {
    prompt,
    input,
    stop,
    type: (text: string) => input.write(`${text}\r`),
    shown: () => shown,
  }
}

it('a prompt echoes answers, but never a secret', async () => {
  const { prompt, type, shown } = onTerminal()
  const name = prompt.text('Name')
  type('main')
  expect(await name).toBe('main')
  const secret = prompt.secret('Secret')
  type('hush-hush')
  expect(await secret).toBe('hush-hush')
  const again = prompt.text('Again')
  // The up arrow must not show the secret as an earlier line.
  type('\u001b[A')
  expect(await again).toBe('')
  expect(shown()).toContain('main')
  expect(shown()).not.toContain('hush')
  prompt.close()
})

it('a prompt uses the default for an empty answer, and asks again after an invalid one', async () => {
  const { prompt, type, shown } = onTerminal()
  const check = (text: string) => (text === 'a' ? undefined : 'the letter a')
  const letter = prompt.text('Letter', { byDefault: 'a', check })
  type('b')
  await expect.poll(shown).toContain('Enter the letter a.')
  type('')
  expect(await letter).toBe('a')
  expect(shown()).toContain('Letter [a]: ')
  prompt.close()
})

it.each([
  ['', true, true],
  ['', false, false],
  ['y', false, true],
  ['Yes', false, true],
  ['n', true, false],
  ['NO', true, false],
])('the answer %j to a question with the default %j means %j', async (typed, byDefault, meant) => {
  const { prompt, type } = onTerminal()
  const answer = prompt.yes('Go on?', byDefault)
  type(typed)
  expect(await answer).toBe(meant)
  prompt.close()
})

it('a prompt asks again after an empty secret, unless it is optional', async () => {
  const { prompt, type, shown } = onTerminal()
  const secret = prompt.secret('Secret')
  type('')
  await expect.poll(shown).toContain('Enter a value.')
  type('s')
  expect(await secret).toBe('s')
  const optional = prompt.secret('Other', 'optional')
  type('')
  expect(await optional).toBe('')
  prompt.close()
})

it('a prompt is aborted by the signal, and by the end of the input', async () => {
  const stopped = onTerminal()
  const [asked, checked] = [
    stopped.prompt.text('Name'),
    stopped.prompt.during(new Promise(() => {})),
  ]
  stopped.stop.abort(new Error('stopped'))
  await expect(asked).rejects.toThrow('stopped')
  await expect(checked).rejects.toThrow('stopped')
  stopped.prompt.close()
  const ended = onTerminal()
  const waiting = ended.prompt.secret('Secret')
  ended.input.end()
  await expect(waiting).rejects.toThrow('the input ended before all answers')
})

it('a prompt asks again if the answer is neither yes nor no, so that no other text means no', async () => {
  const { prompt, type, shown } = onTerminal()
  const answer = prompt.yes('Answer again?', true)
  type('a-secret-in-the-wrong-place')
  await expect.poll(shown).toContain('Enter y or n.')
  type('n')
  expect(await answer).toBe(false)
  prompt.close()
})

it('a prompt wraps long texts to the width of the terminal', () => {
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 40 })
  const { signal } = new AbortController()
  const prompt = openPrompt({ input: new PassThrough(), output, signal, terminal: true })
  prompt.say('  what to do: compare clientId and clientSecret with the page of the app')
  expect(String(output.read()).split('\n')).toEqual([
    '  what to do: compare clientId and',
    '              clientSecret with the page',
    '              of the app',
    '',
  ])
  prompt.close()
})
