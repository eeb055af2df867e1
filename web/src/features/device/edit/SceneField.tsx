import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/errorText';
import { Field } from '@/ui/form/Field';
import { Select } from '@/ui/Select';
import { allScenesQuery } from '../queries';
import css from './EditSheet.module.css';

interface SceneFieldProps {
  value: number;
  /** The scene that the device stands in: it may stay there, even when that one takes no new devices. */
  own: number;
  ownName: string;
  onChange: (groupId: number) => void;
}

/** The scene of a device. */
export function SceneField({ value, own, ownName, onChange }: SceneFieldProps) {
  const { t } = useTranslation();
  const scenes = useQuery(allScenesQuery());
  const known = scenes.data?.some(({ id }) => id === own) === true;
  return (
    <Field label={t('home.device.scene')} error={scenes.isError ? errorText(scenes.error) : undefined}>
      {({ status, ...labels }) => (
        <Select
          {...labels}
          className={css.select}
          value={value}
          onChange={(event) => onChange(Number(event.target.value))}
        >
          <option value={0}>{t('home.defaultGroup')}</option>
          {own === 0 || known ? null : <option value={own}>{ownName}</option>}
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
