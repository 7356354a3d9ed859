import { type Command, InvalidArgumentError, Option } from 'commander'
import { chooseAccounts } from '../account/choose.ts'
import { openLake } from '../account/choose-lake.ts'
import { openStore } from '../account/choose-store.ts'
import { namedWitnesses, witnessPolicy } from '../account/named-witnesses.ts'
import { requestSecrets } from '../account/request-secrets.ts'
import { readRoots } from '../account/timestamp-roots.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { VerifiedEvidence } from '../audit/verify/verifying.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { bytesText, count } from '../core/values/quantities.ts'
import { readState } from '../evidence/log/checkpoint.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { asCalled } from './frame/called-as.ts'
import { collect, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { eachAccount } from './frame/each-account.ts'
import { worst } from './frame/exit-codes.ts'
import { type Output, printFacts } from './frame/output.ts'
import { printJudgement, type VerifyCommandOptions, verifyOne, writePage } from './verify-bundle.ts'

export function verifyCommand(run: Runner): Command {
  return defineCommand('verify', 'Verify that synced data and archived files were not altered', [
    'verify',
    'verify --checkpoint 4711:Zm9v...',
    'verify --bundle main-2026-06.zip --key 3b1fe2...',
    'verify --bundle main-2026-06.zip --key 3b1fe2... --witness w.example+1f2e...',
    'verify --page verify.html',
  ])
    .option(
      '-a, --account <name>',
      'only this account; for a bundle, the account it must belong to',
    )
    .option('--bundle <file>', 'verify a bundle; needs no database, network or configuration')
    .addOption(
      new Option(
        '--lake <place>',
        'also verify the lake in this folder or at s3://BUCKET/PREFIX',
      ).conflicts(['bundle', 'page']),
    )
    .option('--page <file>', 'write the HTML page that verifies a bundle in any browser')
    .option('--key <fingerprint>', 'require this key fingerprint', digest)
    .option(
      '--checkpoint <size:root>',
      'require this saved checkpoint to be part of the log',
      state,
    )
    .option('--timestamp-roots <file...>', 'trusted root certificates (PEM) of time stamps')
    .option('--witness <key>', 'verifier key of a witness (repeatable)', collect)
    .option('--witnesses <number>', 'how many witnesses must have cosigned (default: all)', number)
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing was altered, 1 something was, 2 the bundle cannot be read,\n' +
        '4 without --key, the signer of the bundle is unknown.',
    )
    .action((options: VerifyCommandOptions) =>
      run(options, (context) => verify(context, options), {
        databases: options.checkpoint === undefined ? 'each' : 'one',
      }),
    )
}

function number(value: string): number {
  if (!/^[1-9]\d{0,2}$/.test(value))
    throw new InvalidArgumentError('Expected a number from 1 to 999.')
  return Number(value)
}

function digest(value: string): string {
  const text = value.toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('Expected 64 hex digits.')
  return text
}

function state(value: string): string {
  if (readState(value) === undefined)
    throw new InvalidArgumentError('Expected SIZE:ROOT, the root in base64.')
  return value
}

async function verify(context: Context, options: VerifyCommandOptions): Promise<number> {
  if (options.page !== undefined) return await writePage(context, options.page)
  if (options.bundle !== undefined) return await verifyOne(context, options.bundle, options)
  return await verifyAccounts(context, options)
}

/** Checks each account in turn, without opening the store for writing. Records the result for `status`. */
export async function verifyAccounts(
  context: Context,
  options: VerifyCommandOptions,
): Promise<number> {
  const { streams } = await import('../account/catalog.ts')
  const { knownKey } = await import('../account/open-evidence.ts')
  const { recordVerified } = await import('../audit/verify/verifications.ts')
  const { verifyEvidence } = await import('../audit/verify/verify-evidence.ts')
  const { refuseElsewhere } = await import('../warehouse/ledger/moved.ts')
  const { config } = await context.loadConfig()
  const ownKey = knownKey(config)
  const own = options.key ?? ownKey?.fingerprint
  const keys = own === undefined ? [] : [own, ...config.evidence.previousKeys]
  const accounts = chooseAccounts(config, options.account)
  const keyPinned = options.key !== undefined
  const roots = readRoots([...config.evidence.timestampRoots, ...(options.timestampRoots ?? [])])
  const stampTrust = { roots, nowMs: context.clock.now() }
  const witnesses = namedWitnesses(options) ?? witnessPolicy(config)
  return await withWarehouse(context, { migrate: false }, async ({ warehouse, wiring }) => {
    const lake = options.lake === undefined ? undefined : await openLake(wiring, options.lake)
    const noted = await pinnedState(warehouse, accounts, options.checkpoint)
    const outcomes = await eachAccount(context, accounts, async ({ name: account }) => {
      await refuseElsewhere(warehouse, account)
      const store = await openStore({ config, clock: context.clock }, account)
      try {
        const { signal } = context
        const secrets = requestSecrets(config, account)
        const asked = { account, store, lake, streams, signal, checkpoint: noted(account) }
        const wanted = { ...asked, ownKey, secrets, stampTrust, witnesses }
        const found = await verifyEvidence({ warehouse }, { ...wanted, keys, keyPinned })
        const verified = await recordVerified(warehouse, found)
        print(context.output, verified)
        return { code: verified.findingCount === 0 ? 0 : 1, json: verified }
      } finally {
        await store.close()
      }
    })
    const intact = outcomes.every(({ code }) => code === 0)
    context.output.result({ intact, accounts: outcomes.map(({ json }) => json) })
    return worst(outcomes.map(({ code }) => code))
  })
}

/**
 * Returns the checkpoint that an account's log must contain. The given one belongs to one account, so the
 * others are not checked against it. If no account has it, any may have lost it, so all report it.
 */
async function pinnedState(
  { db }: Pick<Warehouse, 'db'>,
  accounts: readonly AccountSettings[],
  checkpoint: string | undefined,
): Promise<(account: string) => string | undefined> {
  const { accountsWithState } = await import('../evidence/sql/checkpoints.ts')
  const noted = readState(checkpoint ?? '')
  if (noted === undefined) return () => undefined
  const holders = await accountsWithState(db, noted)
  const noneHasIt = !accounts.some(({ name }) => holders.includes(name))
  return (account) => (noneHasIt || holders.includes(account) ? checkpoint : undefined)
}

function print(output: Output, verified: VerifiedEvidence): void {
  const { account, signed, checked, checkpoint } = verified
  output.line(`Account ${account}`)
  printFacts(output, [
    ['newest checkpoint', checkpoint ?? '(none)'],
    ['signed', signed === undefined ? '(never)' : `${signed.at} by ${signed.key}`],
    ['log entries', checked.entries],
    ['checkpoints', checked.checkpoints],
    ['records', checked.records],
    ['rows', checked.rows],
    ['files', `${count(checked.files)}, ${bytesText(checked.bytes)}`],
    ['removed', checked.kept === 0 ? undefined : `${count(checked.kept)} ${STILL_KEPT}`],
    ['erased', checked.erased],
    ['time stamps and locks', checked.anchors],
    ['cosignatures', checked.cosignatures || undefined],
    ['lake files', checked.lakeFiles || undefined],
    ['log key', verified.log],
  ])
  if (verified.findingCount === 0) output.line('Nothing was altered.')
  printJudgement(output, verified, asCalled(DOWNLOAD))
  output.line()
}

const DOWNLOAD =
  'run `callsheet archive`, which downloads the files again while the service has them, then ' +
  'verify again (the expected digest is the name of the file in the archive store)'
const STILL_KEPT = 'still stored because of a hold, a lock or an interrupted prune'
