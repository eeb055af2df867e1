import WarningOutlined from '@ant-design/icons/WarningOutlined';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { allScenesQuery } from '@/lib/device/scenes';
import { missingValue, useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { Field } from '@/ui/form/Field';
import { Select } from '@/ui/Select';
import css from './EditSheet.module.css';

interface SceneFieldProps {
  value: number;
  /** The device's current scene: it stays available, even if it accepts no new devices. */
  own: number;
  ownName: string;
  /**
   * The distance in metres to the nearest device of the chosen scene if it is implausibly far;
   * otherwise null.
   */
  farDistance: number | null;
  /** What the server said against the choice. */
  refused?: string;
  onChange: (groupId: number) => void;
}

/** The scene of a device. */
export function SceneField({ value, own, ownName, farDistance, refused, onChange }: SceneFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const scenes = useQuery(allScenesQuery());
  const has = (id: number) => scenes.data?.some((scene) => scene.id === id) === true;
  const gone = scenes.isSuccess && value !== 0 && value !== own && !has(value);
  const error = gone ? t('device.form.sceneGone') : refused;
  // Rounded to a tenth of a kilometre, which is precise enough for a warning.
  const distance = farDistance === null ? '' : format.distance(Math.round(farDistance / 100) * 100);
  return (
    <Field
      label={t('home.device.scene')}
      error={scenes.isError ? errorText(scenes.error) : error}
      hint={
        <span role="status" className={css.far}>
          {farDistance === null ? null : (
            <>
              <WarningOutlined aria-hidden="true" /> {t('device.form.sceneFar', { distance })}
            </>
          )}
        </span>
      }
    >
      {({ status, ...labels }) => (
        <Select
          {...labels}
          className={css.select}
          value={value}
          onChange={(event) => onChange(Number(event.target.value))}
        >
          <option value={0}>{t('home.defaultGroup')}</option>
          {own === 0 || has(own) ? null : <option value={own}>{ownName}</option>}
          {gone ? <option value={value}>{missingValue}</option> : null}
          {scenes.data?.map(({ id, groupName, groupStatus }) => (
            <option key={id} value={id} disabled={groupStatus === 2 && id !== own}>
              {groupStatus === 2 ? `${groupName} (${t('scene.status.2')})` : groupName}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
