import { type Ridge, ridgeAt } from '../ridge';

/**
 * The content of the Arabic page: always in Arabic, whatever the console's language, with made-up
 * figures.
 */

const tag = 'ar-u-nu-arab';
const numbers = new Intl.NumberFormat(tag);
const tenths = new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(tag, { style: 'percent' });
const spans = new Intl.RelativeTimeFormat(tag, { numeric: 'always' });
const two = new Intl.NumberFormat(tag, { minimumIntegerDigits: 2 });

export const number = (value: number) => numbers.format(value);
export const percent = (share: number) => percents.format(share);
export const ago = (value: number, unit: 'second' | 'minute' | 'hour') => spans.format(-value, unit);
export const hourOfDay = (hour: number) => `${two.format(hour)}:${two.format(0)}`;
export const degrees = (value: number) => `${tenths.format(value)}\u00a0°م`;
export const wholeDegrees = (value: number) => `${numbers.format(value)}\u00a0°م`;

export const words = {
  farm: 'مزرعة وادي الزيتون',
  day: 'نظرة عامة على يوم المزرعة',
  overview: 'نظرة عامة',
  temperature: 'درجة حرارة الهواء',
  lastDay: 'آخر ٢٤ ساعة',
  range: 'الصغرى {low} · العظمى {high}',
  alarms: 'الإنذارات',
  irrigation: 'الري اليوم',
  readings: 'أحدث القراءات',
  device: 'الجهاز',
  place: 'الموقع',
  reading: 'القراءة',
  state: 'الحالة',
  contact: 'آخر اتصال',
  online: 'متصل',
  offline: 'غير متصل',
} as const;

export type StatisticName = 'devices' | 'online' | 'alarms' | 'offline';

export const statistics: readonly { name: StatisticName; title: string; value: number; note: string }[] = [
  { name: 'devices', title: 'إجمالي الأجهزة', value: 248, note: 'في خمسة مواقع' },
  { name: 'online', title: 'الأجهزة المتصلة', value: 231, note: `${percent(231 / 248)} من الأجهزة` },
  { name: 'alarms', title: 'إنذارات اليوم', value: 6, note: 'اثنان قيد الانتظار' },
  { name: 'offline', title: 'الأجهزة غير المتصلة', value: 17, note: 'ثلاثة منذ منتصف الليل' },
];

export type Level = 'serious' | 'important' | 'general';

export const alarms: readonly { title: string; where: string; when: string; level: Level; word: string }[] = [
  { title: 'ارتفاع درجة الحرارة', where: 'البيت المحمي', when: ago(12, 'minute'), level: 'serious', word: 'خطير' },
  { title: 'انخفاض رطوبة التربة', where: 'الكرم الغربي', when: ago(3, 'hour'), level: 'important', word: 'مهم' },
  { title: 'انقطاع اتصال المضخة', where: 'الخزان', when: ago(6, 'hour'), level: 'general', word: 'عادي' },
];

export const irrigation: readonly { place: string; share: number }[] = [
  { place: 'البستان الشمالي', share: 0.75 },
  { place: 'الكرم الغربي', share: 0.4 },
  { place: 'البيت المحمي', share: 1 },
];

const day: Ridge = {
  from: 0,
  to: 24,
  level: -14,
  waves: [
    { height: 6.2, length: 24, phase: 0.62 },
    { height: 0.9, length: 7, phase: 0.3 },
  ],
};

/** Degrees at each quarter of an hour of the day. */
export const temperatures: readonly { hour: number; value: number }[] = Array.from({ length: 97 }, (_, index) => ({
  hour: index / 4,
  value: -ridgeAt(day, index / 4),
}));

/** The chart's last value. */
export const newest = temperatures.at(-1)?.value ?? 0;

export interface Row {
  device: string;
  place: string;
  reading: string;
  online: boolean;
  contact: string;
}

export const rows: readonly Row[] = [
  {
    device: 'محطة البستان',
    place: 'البستان الشمالي',
    reading: degrees(newest),
    online: true,
    contact: ago(8, 'second'),
  },
  { device: 'مجس التربة', place: 'الكرم الغربي', reading: percent(0.31), online: true, contact: ago(2, 'minute') },
  {
    device: 'مناخ البيت المحمي',
    place: 'البيت المحمي',
    reading: degrees(34.2),
    online: true,
    contact: ago(9, 'second'),
  },
  {
    device: 'مقياس المنسوب',
    place: 'الخزان',
    reading: `${tenths.format(3.1)}\u00a0م`,
    online: true,
    contact: ago(1, 'minute'),
  },
  { device: 'مضخة الري', place: 'الخزان', reading: '–', online: false, contact: ago(6, 'hour') },
];
