import CloseOutlined from '@ant-design/icons/CloseOutlined';
import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { maxConditions } from '@/lib/alarm/types';
import { IconButton } from '@/ui/IconButton';
import { Select } from '@/ui/Select';
import type { Attributes } from './attributes';
import { ConditionRow } from './ConditionRow';
import css from './Conditions.module.css';
import type { ConditionProblem } from './rules';
import { type ConditionValues, emptyCondition, mayRecover, nextKey } from './values';

interface ConditionsProps {
  conditions: readonly ConditionValues[];
  /**
   * The attributes of the devices; undefined until a device is chosen and its attributes have been
   * fetched.
   */
  properties: Attributes | undefined;
  /** The number of devices; some of them may lack an attribute. */
  deviceCount: number;
  onChange: (conditions: readonly ConditionValues[]) => void;
  /** The problems of rows, by the rows' keys. */
  wrong: ReadonlyMap<number, ConditionProblem>;
}

/**
 * The conditions, folded from top to bottom. The first row always exists and has no "and" or "or".
 */
export function Conditions({ conditions, properties, deviceCount, onChange, wrong }: ConditionsProps) {
  const { t } = useTranslation();
  const change = (key: number, part: Partial<ConditionValues>) =>
    onChange(conditions.map((condition) => (condition.key === key ? { ...condition, ...part } : condition)));
  const open = conditions.find(
    (condition) => condition.recovery === null && mayRecover(condition, properties?.get(condition.sign)),
  );
  return (
    <>
      <ol className={css.list}>
        {conditions.map((condition, i) => (
          <li key={condition.key} className={css.condition}>
            <div className={css.row}>
              {i === 0 ? (
                <span className={css.nothing} />
              ) : (
                <Select
                  className={css.join}
                  aria-label={t('rule.form.join', { n: i + 1 })}
                  value={condition.andor}
                  onChange={({ target }) => change(condition.key, { andor: target.value as 'and' | 'or' })}
                >
                  <option value="and">{t('rule.join.and')}</option>
                  <option value="or">{t('rule.join.or')}</option>
                </Select>
              )}
              <ConditionRow
                n={i + 1}
                condition={condition}
                properties={properties}
                deviceCount={deviceCount}
                wrong={wrong.get(condition.key)}
                onChange={(part) => change(condition.key, part)}
              />
              {i === 0 ? (
                <span className={css.nothing} />
              ) : (
                <IconButton
                  className={css.remove}
                  label={t('rule.form.remove', { n: i + 1 })}
                  icon={<CloseOutlined aria-hidden="true" />}
                  onClick={() => onChange(conditions.filter(({ key }) => key !== condition.key))}
                />
              )}
            </div>
            <ConditionSentence wrong={wrong.get(condition.key)} id={`condition-${condition.key}-wrong`} />
          </li>
        ))}
      </ol>
      <div className={css.adds}>
        <button
          type="button"
          className={css.add}
          disabled={!properties || conditions.length >= maxConditions}
          onClick={() => onChange([...conditions, emptyCondition(nextKey(conditions))])}
        >
          <PlusOutlined aria-hidden="true" />
          {t('rule.form.add')}
        </button>
        {open ? (
          <button type="button" className={css.add} onClick={() => change(open.key, { recovery: '' })}>
            <PlusOutlined aria-hidden="true" />
            {t('rule.form.addRecovery')}
          </button>
        ) : null}
      </div>
    </>
  );
}

function ConditionSentence({ wrong, id }: { wrong: ConditionProblem | undefined; id: string }) {
  const { t } = useTranslation();
  if (!wrong) return null;
  return (
    <p className={css.wrong} id={id}>
      <ExclamationCircleOutlined aria-hidden="true" /> {t(wrong.key, { count: wrong.count })}
    </p>
  );
}

interface FrameProps {
  legend: string;
  error: string | undefined;
  children: React.ReactNode;
}

/** The frame around everything that determines when there is an alarm. */
export function ConditionFrame({ legend, error, children }: FrameProps) {
  const id = useId();
  return (
    <fieldset
      className={`${css.frame} ${error ? css.frameWrong : ''}`}
      aria-describedby={error ? id : undefined}
      // The frame has no field of its own: if the frame itself is invalid, it takes the focus.
      data-wrong={error ? true : undefined}
      tabIndex={error ? -1 : undefined}
    >
      <legend className={css.legend}>
        {legend}
        <span className={css.star} aria-hidden="true">
          *
        </span>
      </legend>
      {children}
      {error ? (
        <p className={css.wrong} id={id}>
          <ExclamationCircleOutlined aria-hidden="true" /> {error}
        </p>
      ) : null}
    </fieldset>
  );
}
