import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type Cast, castOfRoles } from '../security/ordinary-owner.ts'
import { type EvidenceStage, openEvidenceStage } from './evidence-stage.ts'
import { freeze } from './frozen-stage.ts'

export type DatabaseRole = 'owner' | 'writer' | 'eraser' | 'receiver' | 'reporter' | 'stranger'

/**
 * A stage whose database belongs to an ordinary role, with the store of a real archive. It works as the
 * writer role, with only its grants.
 */
export interface CastStage extends EvidenceStage {
  /** Runs statements with only the grants of a role; the tables' triggers are on. */
  as(role: DatabaseRole, ...statements: readonly string[]): Promise<void>
  /** Runs statements as the owner of the tables, with their triggers off. */
  tamper(...statements: readonly string[]): Promise<void>
  /** Runs work as a role. */
  withRole(role: DatabaseRole, work: (warehouse: Warehouse) => Promise<void>): Promise<void>
}

export interface FrozenCast {
  thaw(): Promise<CastStage>
  drop(): Promise<void>
}

/** Fills a stage once, so that each test can start from a copy of it. */
export async function freezeCast(fill: (stage: CastStage) => Promise<void>): Promise<FrozenCast> {
  const cast = await castOfRoles()
  await cast.owned.close()
  const database = { url: cast.url(cast.writer), drop: () => Promise.resolve() }
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-evidence-'))
  const store = createDirectoryStore(directory)
  const stage = castStage(cast, await openEvidenceStage(database, { directory, store }))
  await fill(stage)
  const frozen = await freeze(stage, createDirectoryStore)
  return {
    thaw: async () => castStage(cast, await frozen.thaw()),
    async drop() {
      await frozen.drop()
      await cast.drop()
    },
  }
}

function castStage(cast: Cast, stage: EvidenceStage): CastStage {
  return { ...stage, ...actingIn(cast, stage.databaseUrl) }
}

/** Functions that act as the roles in one of their databases. */
export function actingIn(
  cast: Cast,
  databaseUrl: string,
): Pick<CastStage, 'as' | 'withRole' | 'tamper'> {
  const withRole: CastStage['withRole'] = async (role, work) => {
    const url = new URL(databaseUrl)
    url.username = url.password = cast[role]
    const warehouse = connect({ url: url.href, poolSize: 1 })
    try {
      await work(warehouse)
    } finally {
      await warehouse.close()
    }
  }
  const as: CastStage['as'] = (role, ...statements) =>
    withRole(role, async (warehouse) => {
      for (const statement of statements)
        await warehouse.withClient((client) => client.query(statement))
    })
  const tamper: CastStage['tamper'] = (...statements) =>
    as('owner', [guards('disable'), ...statements, guards('enable')].join(';\n'))
  return { withRole, as, tamper }
}

/** Switches the triggers of all tables, as their owner can. */
const guards = (to: 'disable' | 'enable'): string => `do $$ declare guarded regclass; begin
  for guarded in select distinct tgrelid::regclass from pg_trigger where not tgisinternal loop
    execute format('alter table %s ${to} trigger user', guarded);
  end loop; end $$`
