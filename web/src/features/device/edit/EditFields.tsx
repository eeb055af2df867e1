import LockOutlined from '@ant-design/icons/LockOutlined';
import { Input, type InputRef } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Field } from '@/ui/form/Field';
import type { FieldState } from '@/ui/form/useForm';
import { RefusedNote } from '../detail/RefusedNote';
import css from './EditSheet.module.css';
import { PositionField, placeOf } from './PositionField';
import { type EditError, type EditValues, maxNoteLength, noteLength } from './rules';
import { SceneField } from './SceneField';
import { useSceneDistance } from './useSceneDistance';

interface EditFieldsProps {
  device: Device;
  form: { field: (name: keyof EditValues) => FieldState<EditError> };
  values: EditValues;
  groupId: number;
  onChange: (part: Partial<EditValues>) => void;
  onGroup: (groupId: number) => void;
}

export function EditFields({ device, form, values, groupId, onChange, onGroup }: EditFieldsProps) {
  const { t } = useTranslation();
  const note = form.field('noteName');
  const farDistance = useSceneDistance(groupId, device.deviceName, placeOf(values));
  return (
    <>
      <div className={css.pair}>
        <Field label={t('home.device.name')}>
          {(labels) => (
            <Input
              {...labels}
              className={css.readOnly}
              value={device.deviceName}
              title={device.deviceName}
              readOnly
              prefix={<LockOutlined aria-hidden="true" />}
            />
          )}
        </Field>
        <SceneField
          value={groupId}
          own={device.groupId}
          ownName={device.groupName}
          farDistance={farDistance}
          onChange={onGroup}
        />
      </div>
      <Field
        label={t('device.col.note')}
        required
        error={note.error && t(note.error, { most: maxNoteLength })}
        hint={t('device.form.characters', { n: noteLength(values.noteName), most: maxNoteLength })}
      >
        {(labels) => (
          <Input
            {...labels}
            ref={note.ref as (input: InputRef | null) => void}
            autoFocus
            value={values.noteName}
            onChange={(event) => onChange({ noteName: event.target.value })}
            onBlur={note.leave}
            autoComplete="off"
          />
        )}
      </Field>
      <PositionField
        own={device.deviceName}
        groupId={groupId}
        latitude={form.field('latitude')}
        longitude={form.field('longitude')}
        values={values}
        onChange={onChange}
      />
      <RefusedNote device={device} />
    </>
  );
}
