import { verifyEvidence } from '../../engine/verify-evidence.ts'
import type { VerifiedEvidence } from '../../engine/evidence/verifying.ts'
import { chooseAccounts } from '../choose.ts'
import type { Context } from '../context.ts'
import { allStreams, knownFingerprint } from '../open-evidence.ts'
import { openStore } from '../open-store.ts'
import { count, type Output } from '../output.ts'
import { withWarehouse } from '../wire.ts'
import { printJudgement, type VerifyOptions } from './judgement.ts'

/** Checks one account after the other. Reads only: the store is not opened for writing. */
export async function verifyAccounts(context: Context, options: VerifyOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const own = options.key ?? knownFingerprint(config)
  const keys = own === undefined ? [] : [own, ...config.evidence.previousKeys]
  const { head, key } = options
  return await withWarehouse(context, { migrate: false }, async ({ warehouse }) => {
    const verified: VerifiedEvidence[] = []
    for (const settings of chooseAccounts(config, options.account)) {
      const store = await openStore({ config, clock: context.clock }, settings.name)
      try {
        const { signal } = context
        const wanted = { account: settings.name, store, streams: allStreams(), signal, head }
        const one = await verifyEvidence(
          { warehouse },
          { ...wanted, keys, keyPinned: key !== undefined },
        )
        print(context.output, one)
        verified.push(one)
      } finally {
        await store.close()
      }
    }
    const intact = verified.every(({ findingCount }) => findingCount === 0)
    context.output.result({ intact, accounts: verified })
    return intact ? 0 : 1
  })
}

function print(output: Output, verified: VerifiedEvidence): void {
  const { account, head, checked } = verified
  output.line(`Account ${account}`)
  output.table([
    ['newest head', head === undefined ? '(none)' : `${head.number}, ${head.hash}`],
    ['signed', head === undefined ? '(never)' : `${head.at} by ${head.key}`],
    ['entries', checked.entries],
    ['heads', checked.heads],
    ['records', checked.records],
    ['files', `${count(checked.files)}, ${count(Math.ceil(checked.bytes / 2 ** 20))} MB`],
    ...(checked.kept === 0 ? [] : [['removed', `${count(checked.kept)} ${STILL_KEPT}`]]),
    ['erased', checked.erased],
    ['anchors', checked.anchors],
  ])
  printJudgement(output, verified)
  output.line()
}

const STILL_KEPT = 'whose bytes a hold, a lock or a cut-off prune keeps'
