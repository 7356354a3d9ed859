import { readWitnessKey } from '../../../evidence/log/cosignature.ts'
import type { EvidenceFinding } from '../../../evidence/log/finding.ts'
import type { WitnessPolicy } from '../../../evidence/log/witness-policy.ts'
import { openBundle } from '../../proof/bundle-reader.ts'
import { type BundlePins, checkBundle, type VerifiedBundle } from '../../proof/check-bundle.ts'
import { factsOf, verdictOf } from '../../proof/told.ts'
import { platform, sourceOf, unpack } from './platform.ts'

type Field = HTMLInputElement | HTMLTextAreaElement

const FIELDS = ['file', 'key', 'checkpoint', 'account', 'witnesses', 'needed'] as const

function part(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement
}

function written(id: (typeof FIELDS)[number]): string {
  return (part(id) as Field).value.trim()
}

function named(): BundlePins {
  const key = written('key').toLowerCase() || undefined
  const checkpoint = written('checkpoint') || undefined
  const account = written('account') || undefined
  return { key, checkpoint, account, witnesses: namedWitnesses() }
}

/** Returns the witnesses that the person trusts. All of them are required unless a valid number is given. */
function namedWitnesses(): WitnessPolicy | undefined {
  const keys = written('witnesses')
    .split(/\s+/)
    .filter((key) => key !== '')
  if (keys.length === 0) return undefined
  const witnesses = keys.map((key) => {
    const witness = readWitnessKey(key)
    if (witness === undefined)
      throw new Error(`this is not the verifier key of a witness: ${key.slice(0, 80)}`)
    return witness
  })
  const needed = written('needed')
  return { witnesses, needed: /^[1-9]\d{0,2}$/.test(needed) ? Number(needed) : keys.length }
}

function element(name: string, text: string, look?: string): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  if (look !== undefined) made.className = look
  return made
}

function findingText({ code, what, expected, found }: EvidenceFinding): string {
  const more = [
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(found === undefined ? [] : [`found ${found}`]),
  ]
  const told = more.length > 0 ? ` (${more.join('; ')})` : ''
  return `${code.replaceAll('_', ' ')}: ${what}${told}`
}

/** Removes command-line options in parentheses, because the page has input fields instead. */
function forReaders(text: string): string {
  return text.replaceAll(/ \((?: ?--[a-z]+ [A-Z:]+(?: \.\.\.)?)+\)/g, '')
}

function show(verified: VerifiedBundle): void {
  const { look, text } = verdictOf(verified, written('key') !== '')
  const facts = document.createElement('dl')
  for (const [name, value] of factsOf(verified))
    if (value !== undefined)
      facts.append(
        element('dt', name.charAt(0).toUpperCase() + name.slice(1)),
        element('dd', String(value)),
      )
  const { findings, findingCount, notJudged } = verified
  const more = findingCount - findings.length
  part('result').replaceChildren(
    element('p', forReaders(text), `note ${look}`),
    ...listOf('Findings', [
      ...findings.map(findingText),
      ...(more > 0 ? [`And ${more} more.`] : []),
    ]),
    ...listOf('Not checked', notJudged.map(forReaders)),
    element('h2', 'About this bundle'),
    facts,
  )
}

function listOf(title: string, texts: readonly string[]): HTMLElement[] {
  if (texts.length === 0) return []
  const list = document.createElement('ul')
  list.append(...texts.map((text) => element('li', text)))
  return [element('h2', title), list]
}

/** The number of the latest check. An earlier check that is still running shows nothing. */
let turn = 0

async function check(): Promise<void> {
  const [file] = (part('file') as HTMLInputElement).files ?? []
  if (file === undefined) return
  const own = ++turn
  const say = (text: string, look = 'plain'): void => {
    if (own === turn) part('result').replaceChildren(element('p', text, `note ${look}`))
  }
  say('Reading…')
  try {
    const source = sourceOf(file, (share) => say(`Reading… ${Math.floor(share * 100)} %`))
    const bundle = await openBundle(source, unpack)
    const verified = await checkBundle(bundle, named(), platform)
    // Waits, because a pending read would otherwise replace the verdict with its progress.
    await bundle.settle()
    if (own === turn) show(verified)
  } catch (error) {
    say(`The bundle cannot be checked: ${(error as Error).message}.`, 'bad')
  }
}

for (const id of FIELDS) part(id).addEventListener('change', () => void check())
