import { ConfigurationError } from '../../src/core/errors.ts'
import { allReadings, EACH_READING, type Readings } from './readings.ts'

/**
 * Parses `NAME=VARIANT` texts, or `strict` or `lenient` for all readings; later ones override earlier ones.
 */
export function namedReadings(texts: readonly string[]): Partial<Readings> {
  return Object.assign({}, ...texts.map(namedReading)) as Partial<Readings>
}

function namedReading(text: string): Partial<Readings> {
  if (text === 'strict' || text === 'lenient') return allReadings(text)
  const [name = '', variant = ''] = text.split('=')
  const known = EACH_READING.find(([own]) => own === name)
  if (known === undefined)
    throw unknown(text, `one of ${EACH_READING.map(([own]) => own).join(', ')}`)
  const variants = Object.keys(known[1].variants)
  if (!variants.includes(variant))
    throw unknown(text, variants.map((own) => `${name}=${own}`).join(' or '))
  return { [name]: variant }
}

function unknown(text: string, expected: string): ConfigurationError {
  return new ConfigurationError('unknown_reading', {
    tried: `Reading the option --reading ${text}`,
    expected: `strict, lenient, or ${expected}`,
    came: 'there is no such reading or variant',
    todo: 'choose one from docs/readings.md',
  })
}
