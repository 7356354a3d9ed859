import { z } from 'zod'
import { code, type EventDefinition, instant, integer, list, oneOf, text } from './definition.ts'

const room = z.looseObject({ id: text(), room_name: text() })

const location = z.looseObject({
  id: text(),
  name: text(),
  parent_location_id: text(),
  type: oneOf(['country', 'states', 'city', 'campus', 'building', 'floor']),
})

const booked = z.looseObject({
  id: text(),
  room_name: text(),
  email: text(),
  calendar_id: text(),
  calendar_name: text(),
  event_id: text(),
  change_key: text(),
  resource_email: text(),
  calendar_type: oneOf(['0', '1', '2']),
  api_type: oneOf(['0', '1', '']),
})

const SENSORS = [
  'CO2',
  'TEMPERATURE',
  'REAL_TIME_PEOPLE_COUNT',
  'HUMIDITY',
  'VOC',
  'AQI',
  'PM25',
  'PM10',
  'AIR_PRESSURE',
] as const

const sensors = z.looseObject({
  id: text(),
  room_name: text(),
  device_id: text(),
  sensor_data: list({ date_time: instant(), sensor_type: oneOf(SENSORS), sensor_value: text() }),
})

const signage = z.looseObject({
  room_id: text(),
  app_id: text(),
  app_name: text(),
  start_time: instant(),
  end_time: instant(),
})

const alert = z.looseObject({
  id: text(),
  room_name: text(),
  calendar_name: text(),
  email: text(),
  issue: text(),
  alert_type: code([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  component: code([0, 1, 2, 3, 4, 5, 6]),
  alert_time: integer(),
  alert_kind: code([1, 2, 3, 4]),
})

const attempted = z.looseObject({
  room_id: text(),
  join_time: instant(),
  join_url: text(),
  passcode: text(),
  sip_address: text(),
  third_party_meeting_id: text(),
  // One of five platforms, whose names are undocumented, or UNKNOWN.
  meeting_source_type: text(),
})

/** A problem is triggered and later cleared; no event reports the end of an observed or other alert. */
const ALERTS = {
  field: 'alert_kind',
  by: {
    1: ofAlert('room_alert', 'triggered', 0),
    2: ofAlert('room_alert', 'cleared', 1),
    3: ofAlert('room_alert_observed', 'observed', 0),
    4: ofAlert('room_alert_other', 'other', 0),
  },
}

export const ROOM_EVENTS: readonly EventDefinition[] = [
  ofRoom('svcroom.created', 'present', 0),
  ofRoom('svcroom.updated', 'present', 1),
  ofRoom('svcroom.deleted', 'deleted', 2),
  ofLocation('svcroom.location_created', 'present', 0),
  ofLocation('svcroom.location_deleted', 'deleted', 1),
  ofUse('svcroom.checked_in', 'checked_in', 0),
  ofUse('svcroom.checked_out', 'checked_out', 1),
  { event: 'svcroom.sensor_data', fields: sensors, id: 'room' },
  { event: 'svcroom.digital_signage_app_ended', fields: signage },
  { event: 'svcroom.alert', fields: alert, id: 'room', saysBy: ALERTS },
  { event: 'svcroom.delayed_alert', fields: alert, id: 'room', saysBy: ALERTS },
  { event: 'svcroom.thirdparty_meeting_attempted', fields: attempted },
]

function ofRoom(event: string, state: string, rank: number): EventDefinition {
  return { event, fields: room, id: 'room', says: { thing: 'room', key: ['id'], state, rank } }
}

function ofLocation(event: string, state: string, rank: number): EventDefinition {
  const says = { thing: 'location', key: ['id'], state, rank }
  return { event, fields: location, id: 'location', says }
}

/** A room's booking, identified by the room and the event in its calendar. */
function ofUse(event: string, state: string, rank: number): EventDefinition {
  const says = { thing: 'room_booking', key: ['id', 'event_id'], state, rank }
  return { event, fields: booked, id: 'room', says }
}

function ofAlert(thing: string, state: string, rank: number) {
  return { thing, key: ['id', 'alert_type', 'component'], state, rank }
}
