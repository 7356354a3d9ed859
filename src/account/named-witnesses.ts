import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'
import { distinctWitnesses, readWitnessKey } from '../evidence/log/cosignature.ts'
import type { WitnessPolicy } from '../evidence/log/witness-policy.ts'

/** Returns the configured witnesses, and how many must cosign; undefined if there are none. */
export function witnessPolicy({ evidence }: Pick<Config, 'evidence'>): WitnessPolicy | undefined {
  const { asked, needed } = evidence.witnesses
  return policyOf(
    asked.map(({ key }) => key),
    needed ?? undefined,
  )
}

/** Returns the witness policy from a command's flags. */
export function namedWitnesses(flags: {
  witness?: readonly string[]
  witnesses?: number
}): WitnessPolicy | undefined {
  const { witness: keys = [], witnesses: needed } = flags
  if (needed !== undefined && needed > keys.length)
    throw new ConfigurationError('witnesses_too_few', {
      tried: 'Reading the witness keys',
      came: `--witnesses is ${needed}, but the number of keys is ${keys.length}`,
      todo: 'pass --witness KEY for each witness, or lower --witnesses',
    })
  return policyOf(keys, needed)
}

function policyOf(keys: readonly string[], needed = keys.length): WitnessPolicy | undefined {
  if (keys.length === 0) return undefined
  const witnesses = keys.map((key) => readWitnessKey(key) ?? wrongKey(key))
  const distinct = distinctWitnesses(witnesses)
  const twice = witnesses.find((one) => !distinct.includes(one))
  if (twice !== undefined) wrongKey(twice.text, true)
  return { witnesses, needed }
}

function wrongKey(key: string, twice = false): never {
  throw new ConfigurationError('witness_key_invalid', {
    tried: `Reading the verifier key of the witness ${key.split('+', 1)[0]}`,
    expected: 'the Ed25519 cosignature key that the operator of the witness publishes',
    came: twice
      ? 'another witness has the same key'
      : 'the text is not the key of a witness, or its ID does not match',
    todo: twice
      ? 'name each witness once; if they are different witnesses, copy their keys again'
      : 'copy the key again from the page of the operator',
  })
}
