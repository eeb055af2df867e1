import type { components } from '@/api/schema.gen';

export type Schemas = components['schemas'];

export type AlarmRule = Schemas['AlarmRule'];
export type RuleDevice = Schemas['AlarmRuleDevice'];
export type AlarmCondition = Schemas['AlarmCondition'];
export type AlarmRuleCreate = Schemas['AlarmRuleCreate'];
export type AlarmNoticeMark = Schemas['AlarmNoticeMark'];
export type LiveNotice = Schemas['LiveNotice'];
export type Rehearsal = Schemas['Rehearsal'];
export type RehearsedNotice = Schemas['RehearsedNotice'];
export type RehearsalAdvice = Schemas['RehearsalAdvice'];
export type RehearsedDevice = Schemas['RehearsedDevice'];
export type RehearsedAll = Schemas['RehearsedAll'];
export type Outlook = Schemas['Outlook'];

/** 0 general, 1 important, 2 serious. */
export type Level = AlarmRule['alarmLevel'];
/** 0 attribute change, 1 device offline. */
export type Trigger = AlarmRule['triggerType'];
/** Of a notice: 0 pending, 1 resolved by itself, 2 resolved manually. */
export type ResolveStatus = Schemas['AlarmNotice']['resolveStatus'];

const minute = 60_000;

export const levels: readonly Level[] = [0, 1, 2];
/** The lengths that a rule's window can have, in milliseconds. */
export const windows: readonly number[] = [1, 5, 10, 15, 20, 25, 30].map((minutes) => minutes * minute);
/** How often people may be reminded of an open notice, in minutes. */
export const reminders: readonly number[] = [5, 10, 15, 30, 60, 120, 240, 480, 1440];
export const maxHits = 10;
/** Per rule. */
export const maxChannels = 20;
export const maxConditions = 16;
