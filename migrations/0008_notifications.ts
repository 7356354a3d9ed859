import { type Kysely, sql } from 'kysely'

/** Notifications from the service, and the latest event about each thing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // `payload` is the whole message as JSON, if the database accepts it; `body` contains its bytes. `hash`
  // covers the content, so that a repeated message is found. Not partitioned by month, because a message must
  // be unique over all months.
  `create table callsheet.notifications (
     id bigint generated always as identity,
     account text collate "C" not null,
     event text not null,
     event_ts text,
     event_at timestamptz,
     received_at timestamptz not null,
     hash bytea not null,
     state text not null check (state in
       ('applied', 'stored', 'unmatched', 'ahead', 'unknown', 'foreign', 'unparsed', 'erased')),
     subjects text[] not null,
     findings text[] not null,
     payload jsonb,
     body bytea not null,
     primary key (account, id)
   )`,
  `create unique index on callsheet.notifications (account, hash) where event_at is not null`,
  // An event without a time is distinguished from a later one with the same content by its arrival.
  `create index on callsheet.notifications (account, hash, received_at) where event_at is null`,
  'create index on callsheet.notifications (account, received_at)',
  'create index on callsheet.notifications using gin (subjects)',

  // The latest event about each thing: the later one wins, then the higher rank, then the higher hash, so the
  // order of arrival does not matter.
  `create table callsheet.event_states (
     account text collate "C" not null,
     thing text collate "C" not null,
     key text[] collate "C" not null,
     state text not null,
     at timestamptz not null,
     rank smallint not null,
     hash bytea not null,
     notification_id bigint not null,
     primary key (account, thing, key)
   )`,
  'create index on callsheet.event_states (account, notification_id)',

  `create view report.notifications as
   select account, event, event_at, received_at, state, payload from callsheet.notifications`,
  `create view report.room_alerts as
   select s.account, s.key[1] as room_id, n.payload #>> '{payload,object,room_name}' as room_name,
     s.key[2] as alert_type, s.key[3] as component, s.state,
     n.payload #>> '{payload,object,issue}' as issue, s.at
   from callsheet.event_states s
   join callsheet.notifications n on n.account = s.account and n.id = s.notification_id
   where s.thing in ('room_alert', 'room_alert_observed', 'room_alert_other')`,
]
