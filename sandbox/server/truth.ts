import { isoSecond } from '../base/wire-time.ts'
import { consentAt, consentNumberTruths, consentTruth } from '../numbers/consents.ts'
import { assignmentTruth } from '../numbers/number-assignments.ts'
import * as settings from '../numbers/number-settings.ts'
import { numberAt, numberTruth } from '../numbers/numbers.ts'
import { PEERING_TRUTHS } from '../numbers/peering-truths.ts'
import { rowsOf } from '../protocol/find-row.ts'
import { timesAsShown } from '../protocol/list-ways.ts'
import type { StreamTruth, TruthRow } from '../protocol/stream-truth.ts'
import type { Readings } from '../readings/readings.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { USER_DETAIL_TRUTHS } from '../users/user-detail-truths.ts'
import { userAt, userTruth } from '../users/users.ts'
import { audioTruths } from '../video/recording-audio.ts'
import type { Shelf } from '../video/recording-fates.ts'
import { fileTruths, storedAt } from '../video/recording-files.ts'
import { type Recording, recordingAt, recordingTruth } from '../video/recordings.ts'
import { phaseOf, sessionAt, sessionTruth } from '../video/sessions.ts'
import { activityCount, activityMaker, activityTruth } from '../whiteboards/activities.ts'
import { contentOf, contentTruth } from '../whiteboards/board-content.ts'
import { boardsCarrying } from '../whiteboards/board-labels.ts'
import { collaboratorsOf, collaboratorTruth } from '../whiteboards/board-people.ts'
import { boardAt, boardTruth, isWithheld } from '../whiteboards/boards.ts'
import { labelAt, labelIndexes, labelTruth } from '../whiteboards/labels.ts'
import { participantTruths, whiteboardAt, whiteboardTruth } from '../whiteboards/whiteboards.ts'
import { DETAIL_TRUTHS } from './detail-truths.ts'
import { listTruths } from './lists.ts'

/**
 * Yields the rows that the warehouse must contain for a stream now, by the sandbox's own reading of the
 * documents.
 */
export function truthOf(
  seedData: SeedData,
  stream: string,
  { nowMs, readings }: { nowMs: number; readings: Readings },
): Generator<TruthRow> {
  const truth = STREAM_TRUTHS[stream]
  if (truth === undefined) throw new RangeError(`the sandbox has no truth for ${stream}`)
  const rows = eachRow(seedData, truth, nowMs)
  return stream === 'session_reports' ? timesAsShown(readings, rows) : rows
}

function* eachRow(seedData: SeedData, truth: StreamTruth, nowMs: number): Generator<TruthRow> {
  const { state } = seedData
  const listing = rowsOf(seedData, state, truth.kind)
  for (let at = 0; at < listing.length; at++)
    yield* truth.rows(seedData, state, { index: listing.at(at), nowMs })
}

/**
 * The lists that may show a recording, in order of precedence. A recording with files outside the trash
 * belongs to the window, even if the trash shows some of its files.
 */
const SHOWN: readonly Shelf[] = ['window', 'session_recordings', 'recording_file']
const TRASHED: readonly Shelf[] = ['recording_file']
/** Only these recordings have details; trashed recordings have none. */
const DETAILED: readonly Shelf[] = ['window']
const FILE_KEY = ['session_id', 'file_key', 'ordinal']

export const STREAM_TRUTHS: Readonly<Record<string, StreamTruth>> = {
  ...DETAIL_TRUTHS,
  ...USER_DETAIL_TRUTHS,
  ...PEERING_TRUTHS,
  ...listTruths,
  users: {
    kind: 'users',
    key: ['id'],
    rows: (seedData, state, { index }) => [userTruth(userAt(seedData, state, index))],
    beside: (seedData, state, index) => userAt(seedData, state, index).language,
  },
  session_reports: {
    kind: 'sessions',
    key: ['id'],
    rows: (seedData, state, where) =>
      phaseOf(seedData, state, where) === 'over'
        ? [sessionTruth(sessionAt(seedData, state, where.index))]
        : [],
  },
  phone_numbers: {
    kind: 'numbers',
    key: ['id'],
    rows: (seedData, state, { index }) => [numberTruth(numberAt(seedData, state, index))],
    beside: (seedData, state, index) => numberAt(seedData, state, index).assignments,
  },
  phone_number_assignments: {
    kind: 'numbers',
    key: ['phone_number_id', 'assigned_to_type', 'assigned_to_id', 'source_channel', 'ordinal'],
    rows: (seedData, state, { index }) => {
      const { item, assignments } = numberAt(seedData, state, index)
      return assignmentTruth(item.id, assignments)
    },
  },
  sms_consents: {
    kind: 'consents',
    key: ['consent_id'],
    rows: (seedData, state, { index }) => [consentTruth(consentAt(seedData, state, index))],
  },
  sms_consent_numbers: {
    kind: 'consents',
    key: ['consent_id', 'phone_number_id'],
    rows: (seedData, state, { index }) =>
      consentNumberTruths(seedData, state, consentAt(seedData, state, index)),
  },
  ported_orders: {
    kind: 'orders',
    key: ['order_id'],
    rows: (seedData, state, { index }) => [
      settings.orderTruth(settings.orderAt(seedData, state, index)),
    ],
  },
  sip_groups: {
    kind: 'groups',
    key: ['sip_group_id'],
    rows: (seedData, state, { index }) => [
      settings.groupTruth(settings.groupAt(seedData, state, index)),
    ],
  },
  sip_trunks: {
    kind: 'trunks',
    key: ['sip_trunk_id'],
    rows: (seedData, state, { index }) => [settings.trunkAt(seedData, state, index)],
  },
  // Expired sessions are no longer listed, but their rows stay.
  whiteboard_sessions: {
    kind: 'whiteboards',
    key: ['id'],
    rows: (seedData, state, { index }) => [whiteboardTruth(whiteboardAt(seedData, state, index))],
  },
  whiteboard_participants: {
    kind: 'whiteboards',
    key: ['session_id', 'user_id', 'user_name', 'join_whiteboard_time', 'ordinal'],
    rows: (seedData, state, { index }) =>
      participantTruths(seedData, whiteboardAt(seedData, state, index)),
  },
  whiteboard_activities: {
    kind: 'whiteboards',
    key: ['session_id', 'id'],
    rows: (seedData, state, { index }) => {
      const board = whiteboardAt(seedData, state, index)
      const make = activityMaker(seedData, board)
      const count = activityCount(seedData, state, index)
      return Array.from({ length: count }, (_, place) => activityTruth(board.id, make(place)))
    },
  },
  whiteboards: {
    kind: 'boards',
    key: ['whiteboard_id'],
    rows: (seedData, state, { index }) => [boardTruth(seedData, boardAt(seedData, state, index))],
  },
  whiteboard_collaborators: {
    kind: 'boards',
    key: ['whiteboard_id', 'collaborator_id'],
    rows: (seedData, state, { index }) => {
      if (isWithheld(state, index)) return []
      const { id } = boardAt(seedData, state, index)
      return collaboratorsOf(seedData, state, index).map((person) => collaboratorTruth(id, person))
    },
  },
  whiteboard_content: {
    kind: 'boards',
    key: ['whiteboard_id'],
    rows: (seedData, state, { index }) =>
      isWithheld(state, index) ? [] : [contentTruth(seedData, state, index)],
    beside: contentOf,
  },
  classification_labels: {
    kind: 'labels',
    key: ['classification_id'],
    follows: ['boards', 'labels'],
    rows: (seedData, state, { index }) => {
      if (!labelIndexes(seedData, state).includes(index)) return []
      const count = boardsCarrying(seedData, state).get(index) ?? 0
      return [labelTruth(labelAt(seedData, state, index), count)]
    },
  },
  recording_sessions: recordingStream(['session_id'], SHOWN, (recording) => [
    recordingTruth(recording),
  ]),
  recording_files: recordingStream(FILE_KEY, SHOWN, filesTruth),
  recording_participant_files: recordingStream(FILE_KEY, SHOWN, participantFilesTruth),
  recording_details: recordingStream(['session_id'], DETAILED, detailTruth),
  recording_audio_files: recordingStream(FILE_KEY, DETAILED, audioTruths),
  trashed_recordings: recordingStream(['session_id'], TRASHED, (recording) => {
    const { trashed: _ofAnotherStream, ...row } = recordingTruth(recording)
    return [row]
  }),
  trashed_recording_files: recordingStream(FILE_KEY, TRASHED, filesTruth),
}

/** Yields recordings that several lists show at once, such as those with only some files in the trash. */
export function* recordingsShownTwice(seedData: SeedData, nowMs: number): Generator<string> {
  const { state, sizes } = seedData
  const rows = sizes.recordings + state.recordings.added
  for (let index = 0; index < rows; index++) {
    if (state.recordings.gone.has(index)) continue
    const shown = SHOWN.map((shelf) =>
      recordingAt(seedData, state, { index, shelf, nowMs }),
    ).filter((recording) => recording !== undefined)
    if (shown.length > 1 && shown[0] !== undefined) yield shown[0].session_id
  }
}

function recordingStream(
  key: readonly string[],
  shelves: readonly Shelf[],
  cut: (recording: Recording) => readonly TruthRow[],
): StreamTruth {
  return {
    kind: 'recordings',
    key,
    rows: (seedData, state, { index, nowMs }) => {
      for (const shelf of shelves) {
        const recording = recordingAt(seedData, state, { index, shelf, nowMs })
        if (recording !== undefined) return cut(recording)
      }
      return []
    },
  }
}

/** Puts the files, which are rows in other streams, into the payload. */
function detailTruth(recording: Recording): TruthRow[] {
  const { session_id, recording_count, total_size } = recordingTruth(recording)
  const { files, participantFiles } = recording
  return [{ session_id, recording_count, total_size, payload: [files, participantFiles] }]
}

function filesTruth(recording: Recording): TruthRow[] {
  const { files } = recording
  return fileTruths(recording.session_id, files).map((row, n) => {
    const { stored, deletedMs } = files[n] ?? {}
    return {
      ...row,
      external_storage_url: stored === true && files[n] !== undefined ? storedAt(files[n]) : null,
      deleted_time: deletedMs === undefined ? null : isoSecond(deletedMs),
    }
  })
}

function participantFilesTruth(recording: Recording): TruthRow[] {
  const { participantFiles } = recording
  return fileTruths(recording.session_id, participantFiles).map((row, n) => ({
    ...row,
    file_name: participantFiles[n]?.file_name ?? null,
    file_extension: 'MP4',
    user_id: participantFiles[n]?.user_id ?? null,
    user_key: participantFiles[n]?.user_key ?? null,
  }))
}
