import { RETRY_RULES, type RetryRules } from '../api/answers/retry.ts'
import { openAuthorities } from '../api/auth/authorities.ts'
import type { AppCredentials, TokenEndpoint } from '../api/auth/token-endpoint.ts'
import type { Authorities, Bearer } from '../api/call/authorize.ts'
import type { OpenPool } from '../api/call/pools.ts'
import type { FollowedApi } from '../api/call/request-address.ts'
import { type Client, type ClientLimits, createClient } from '../api/client.ts'
import { createGovernor, type Governor } from '../api/quota/governor.ts'
import { labelBudget } from '../archive/call-budget.ts'
import type { ArchiveAccess } from '../archive/work.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { quotasOf } from '../config/quotas.ts'
import { previousTokenKeys, tokenKey } from '../config/token-key.ts'
import { ofAccount } from '../core/define/observer.ts'
import type { RateLabel } from '../core/define/operation.ts'
import type { FoundReadings, QuotaLedger, TokenStore } from '../core/define/ports.ts'
import { ConfigurationError } from '../core/errors.ts'
import { wordsOf } from '../core/notifications/words.ts'
import type { EvidenceAccess } from '../evidence/log/evidence-access.ts'
import type { FileStore } from '../store/store.ts'
import { ABSENT_LIMIT } from '../sync/absent-lists.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { openFoundReadings } from '../warehouse/ledger/found-readings.ts'
import { refuseElsewhere } from '../warehouse/ledger/moved.ts'
import { createQuotaLedger } from '../warehouse/ledger/quota-ledger.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { createTokenStore } from '../warehouse/ledger/tokens.ts'
import { archiveCallsAreScarce } from './archive-deadlines.ts'
import { openStore } from './choose-store.ts'
import { columnPolicyOf } from './column-policy.ts'
import { openEvidence } from './open-evidence.ts'
import { openPools } from './open-pools.ts'
import { readQuotaFacts } from './quota-facts.ts'
import { reachOf } from './reach-of.ts'
import { retryLedger, retryReadings, retryTokens } from './retry-stores.ts'
import type { OpenWarehouse, Wiring } from './wire.ts'

/** The parts that work for one account. */
export interface OpenAccount {
  settings: AccountSettings
  deps: EngineDeps
  client: Client
  governor: Governor
  authorities: Authorities
  /** The authorization server itself, for logging in and out. */
  endpoint: TokenEndpoint
  tokens: TokenStore
  /** Releases reserved calls and closes the connections to the service. */
  close(): Promise<void>
}

export interface OpenOptions {
  retryRules?: RetryRules
  openPool?: OpenPool
  /** Shorter limits for a test. */
  limits?: Partial<ClientLimits>
}

/** Builds an account's token, quota and client. Sends nothing, but reads findings about the service. */
export async function openAccount(
  frame: OpenWarehouse,
  settings: AccountSettings,
  options: OpenOptions = {},
): Promise<OpenAccount> {
  const { retryRules = RETRY_RULES, openPool = openPools(), limits = {} } = options
  const observer = ofAccount(frame.wiring.observer, settings.name)
  const opened = { ...frame, wiring: { ...frame.wiring, observer } }
  const { wiring, warehouse } = opened
  const { config, clock, random = Math.random } = wiring
  const { tokens, found, ledger } = await openStores(opened, settings)
  const governor = createGovernor({
    quotas: quotasOf(settings.quotas),
    reserve: settings.reserve,
    ledger,
    clock,
    random,
    observer,
  })
  const auth = authoritiesOf({ ...wiring, openPool }, settings, tokens)
  const { authorities, endpoint, close: closeAuth } = auth
  const { baseUrl } = settings
  const followedApi = followedApiOf(settings, authorities)
  const shared = { governor, clock, observer, random, authorities, retryRules, found, openPool }
  const fileHosts = config.archive.hosts
  const words = wordsOf(settings.words)
  const client = createClient({
    ...shared,
    baseUrl,
    followedApi,
    limits,
    fileHosts,
    words,
  })
  const archive = openArchive(opened, settings, ledger)
  let signing: EvidenceAccess | undefined
  const evidence = () => (signing ??= openEvidence(wiring, settings))
  const { deletionGuard } = config
  const rules = { deletionGuard, absentLimit: ABSENT_LIMIT, ...reachOf(settings) }
  const deps: EngineDeps = {
    warehouse,
    client,
    clock,
    observer,
    ...rules,
    words,
    columns: columnPolicyOf(config, settings),
    archive,
    evidence,
  }
  const close = async (): Promise<void> => {
    await Promise.allSettled([client.close(), closeAuth(), archive.close()])
    await governor.close()
  }
  return { settings, deps, client, governor, authorities, endpoint, tokens, close }
}

/** Opens the stores that all processes share: the token, the day's calls, and findings about the service. */
async function openStores(
  opened: OpenWarehouse,
  { name, clientId }: AccountSettings,
): Promise<{ tokens: TokenStore; ledger: QuotaLedger; found: FoundReadings }> {
  const { wiring, warehouse } = opened
  const key = tokenKey(wiring.config)
  const previousKeys = previousTokenKeys(wiring.config)
  const kind = `oauth:${clientId}`
  const tokens = createTokenStore(warehouse, { account: name, kind, key, previousKeys })
  await retryDatabase(wiring, () => refuseElsewhere(warehouse, name))
  const found = await retryDatabase(wiring, () => openFoundReadings(warehouse, name))
  return {
    found: retryReadings(wiring, found),
    tokens: retryTokens(wiring, tokens),
    ledger: retryLedger(wiring, createQuotaLedger(warehouse, name)),
  }
}

function authoritiesOf(
  { clock, observer, openPool }: Wiring & { openPool: OpenPool },
  settings: AccountSettings,
  store: TokenStore,
) {
  const { app, accountId, name } = settings
  const opened = openAuthorities({
    credentials: credentialsOf(settings),
    app,
    accountId,
    loginWith: `callsheet login --account ${name}`,
    sessionJwt: sessionKey(settings),
    store,
    clock,
    observer,
    openPool,
  })
  const { oauth, jwt, endpoint, close } = opened
  const signed = needsKey(settings) ? missingKey(name) : jwt
  const authorities = signed === undefined ? { oauth } : { oauth, jwt: signed }
  return { authorities, endpoint, close }
}

export function credentialsOf(settings: AccountSettings): AppCredentials {
  const { authUrl, clientId, clientSecret } = settings
  return { authUrl, clientId, clientSecret: clientSecret?.reveal() ?? null }
}

/** Undefined if video-session calls use the account's token, or if the key is not configured. */
function sessionKey({ videoSessions }: AccountSettings) {
  const { auth, apiKey, apiSecret } = videoSessions
  if (auth === 'oauth' || apiKey === null || apiSecret === null) return undefined
  return { apiKey, apiSecret: apiSecret.reveal() }
}

function needsKey({ videoSessions }: AccountSettings): boolean {
  return videoSessions.auth === 'jwt' && videoSessions.apiSecret === null
}

/** Calls signed with the video JWT also use the API address from the account's token: there is one API. */
export function followedApiOf(
  settings: AccountSettings,
  { oauth }: Pick<Authorities, 'oauth'>,
): FollowedApi | undefined {
  if (settings.apiHosts.length === 0) return undefined
  return {
    hosts: settings.apiHosts,
    told: async (signal) => (await oauth.current(signal)).apiUrl,
  }
}

/** Without a key only the calls that need it fail, so that users and numbers are still read. */
function missingKey(account: string): Bearer {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new ConfigurationError('video_key_missing', {
        tried: `Signing a video-session call of account ${account}`,
        came: 'videoSessions.apiKey and videoSessions.apiSecret are not set',
        todo: 'set both settings, set videoSessions.auth to oauth, or disable the jobs that need this key',
      }),
    )
  return { current: refuse, replace: refuse }
}

/** Opens an account's archive for the engine. The store opens with its first file. */
function openArchive(
  opened: Pick<OpenWarehouse, 'wiring' | 'warehouse'>,
  settings: AccountSettings,
  ledger: QuotaLedger,
): ArchiveAccess & { close(): Promise<void> } {
  const { wiring } = opened
  let store: Promise<FileStore> | undefined
  return {
    settings: wiring.config.archive,
    store() {
      store ??= openStore(wiring, settings.name).then(async (one) => {
        await one.open()
        return one
      })
      // An unavailable disk may be back at the next run.
      store.catch(() => (store = undefined))
      return store
    },
    async callBudget(label: RateLabel) {
      const facts = await readQuotaFacts(wiring, settings, ledger)
      return labelBudget({ label, facts, retryAtMs: facts.retryAt.get(label) ?? 0 })
    },
    callsAreScarce: (label: RateLabel) =>
      archiveCallsAreScarce(opened, { settings, ledger, label }),
    async close() {
      const one = await store?.catch(() => undefined)
      await one?.close()
    },
  }
}
