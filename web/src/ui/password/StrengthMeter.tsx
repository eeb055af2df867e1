import CheckOutlined from '@ant-design/icons/CheckOutlined';
import EllipsisOutlined from '@ant-design/icons/EllipsisOutlined';
import InfoCircleOutlined from '@ant-design/icons/InfoCircleOutlined';
import SafetyOutlined from '@ant-design/icons/SafetyOutlined';
import WarningOutlined from '@ant-design/icons/WarningOutlined';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import { isShort } from './minimum';
import { type Person, personalWords } from './personalWords';
import css from './StrengthMeter.module.css';
import { levels, type Strength } from './strength';
import { useStrength } from './useStrength';

interface StrengthMeterProps {
  password: string;
  /** The minimum length in characters. */
  minimum: number;
  /** The user whose password it will be. */
  person: Person;
}

const icons = {
  short: EllipsisOutlined,
  weak: WarningOutlined,
  fair: InfoCircleOutlined,
  good: CheckOutlined,
  strong: SafetyOutlined,
};

/**
 * Longer than the pause between two keystrokes, so that screen readers do not announce each one.
 */
const pauseMs = 1000;

/**
 * Shows how strong a typed password is and what would make it stronger. It only advises; the
 * minimum length is the only rule.
 */
export function StrengthMeter({ password, minimum, person }: StrengthMeterProps) {
  const { t } = useTranslation();
  const { userName, nickname, email, mobile, tenantName } = person;
  const known = useMemo(
    () => personalWords({ userName, nickname, email, mobile, tenantName }),
    [userName, nickname, email, mobile, tenantName],
  );
  const strength = useStrength(password, known);

  const short = isShort(password, minimum);
  const estimated = short || strength === 'failed' ? undefined : strength;
  const level = short && password !== '' ? 'short' : estimated?.level;
  const announcement =
    strength === 'failed'
      ? t('password.strength.unknown')
      : estimated
        ? strengthText(t, estimated)
        : t('password.strength.advice.useWords');
  const shownLevel = level
    ? t('password.strength.said', { word: t(`password.strength.level.${level}`), told: announcement })
    : strength === 'failed'
      ? announcement
      : '';
  const announced = useDebouncedText(shownLevel, pauseMs);
  const Icon = level ? icons[level] : null;

  return (
    <div className={css.meter}>
      <div className={css.line}>
        <span className={`${css.steps} ${level ? css[level] : ''}`} aria-hidden="true">
          {levels.map((step, at) => (
            <span key={step} className={estimated && at <= levels.indexOf(estimated.level) ? css.full : undefined} />
          ))}
        </span>
        {level && Icon ? (
          <span className={`${css.word} ${css[level]}`}>
            <Icon aria-hidden="true" />
            {t(`password.strength.level.${level}`)}
          </span>
        ) : null}
      </div>
      <p className={css.told}>{announcement}</p>
      <span className="visually-hidden" role="status">
        {announced}
      </span>
    </div>
  );
}

function strengthText(t: TFunction, { warning, advice }: Strength): string {
  const warns = warning && t(`password.strength.warning.${warning}`);
  const advises = advice && t(`password.strength.advice.${advice}`);
  if (warns && advises) return t('password.strength.both', { warning: warns, advice: advises });
  return warns ?? advises ?? t('password.strength.only');
}
