import { Button, Input, type InputRef } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Field } from '@/ui/form/Field';
import { Note } from '@/ui/Note';
import { Select } from '@/ui/Select';
import { ShortSecret } from '../detail/ShortSecret';
import { PositionField, placeOf } from '../edit/PositionField';
import { maxNoteLength } from '../edit/rules';
import { SceneField } from '../edit/SceneField';
import { useSceneDistance } from '../edit/useSceneDistance';
import type { DeviceOffer } from '../queries';
import css from './AddDialog.module.css';
import type { AddField } from './rules';
import type { AddForm } from './useAddForm';

interface AddFieldsProps {
  adding: AddForm;
  /** Absent where the label says what the device is. */
  products?: DeviceOffer['products'];
  onOpenDevice: (deviceName: string) => void;
}

const claimedFields: ReadonlySet<AddField> = new Set(['noteName', 'groupId', 'latitude', 'longitude']);

/** The fields of a device to add. */
export function AddFields({ adding, products, onOpenDevice }: AddFieldsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { form, values, refusal, change } = adding;
  const [placing, setPlacing] = useState(false);
  const farDistance = useSceneDistance(values.groupId ?? 0, '', placeOf(values));
  const placed = placing || values.latitude !== '' || values.longitude !== '';
  const [product, note, serial] = [form.field('productId'), form.field('noteName'), form.field('serial')];
  // Of a claimed device the provider says the model and the serial: there is no field for them.
  const isElsewhere = refusal && (refusal.field === 'form' || (!products && !claimedFields.has(refusal.field)));
  const refused = (field: AddField) => (refusal?.field === field ? refusal.text : undefined);
  const taken = refusal?.takenBy;
  const openTaken =
    taken === undefined ? undefined : (
      <Button type="text" className={css.taken} onClick={() => onOpenDevice(taken)}>
        {t('device.add.openTaken')}
      </Button>
    );
  const below = (field: AddField) => (refusal?.field === field ? openTaken : undefined);
  return (
    <>
      {isElsewhere ? (
        <div className={css.note}>
          <Note tone="wrong" title={t('device.add.fail')} action={openTaken}>
            {format.capital(refusal.text)}
          </Note>
        </div>
      ) : null}
      {products ? (
        <Field label={t('home.device.model')} required error={product.error ? t(product.error) : refused('productId')}>
          {({ status: _, ...labels }) => (
            <span ref={(box) => product.ref(box?.querySelector('select') ?? null)}>
              <Select
                {...labels}
                className={css.select}
                value={values.productId ?? ''}
                onChange={({ target }) => change({ productId: Number(target.value) || undefined })}
              >
                {values.productId === undefined ? <option value="">{t('device.add.chooseModel')}</option> : null}
                {products.map(({ productId, productName }) => (
                  <option key={productId} value={productId}>
                    {productName}
                  </option>
                ))}
              </Select>
            </span>
          )}
        </Field>
      ) : null}
      <Field
        label={t('device.col.note')}
        required
        error={note.error ? t(note.error, { most: maxNoteLength }) : refused('noteName')}
        hint={t('device.add.nameHint')}
        below={below('noteName')}
      >
        {(labels) => (
          <Input
            {...labels}
            ref={note.ref as (input: InputRef | null) => void}
            autoFocus
            value={values.noteName}
            onChange={({ target }) => change({ noteName: target.value })}
            onBlur={note.onBlur}
            autoComplete="off"
          />
        )}
      </Field>
      <div className={products ? css.pair : undefined}>
        <SceneField
          value={values.groupId ?? 0}
          own={0}
          ownName=""
          farDistance={farDistance}
          refused={refused('groupId')}
          onChange={(groupId) => change({ groupId })}
        />
        {products ? (
          <Field
            label={t('device.detail.serial')}
            error={serial.error ? t(serial.error, { most: maxNoteLength }) : refused('serial')}
            hint={t('device.add.serialHint')}
            below={below('serial')}
          >
            {(labels) => (
              <Input
                {...labels}
                ref={serial.ref as (input: InputRef | null) => void}
                value={values.serial}
                onChange={({ target }) => change({ serial: target.value })}
                onBlur={serial.onBlur}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
              />
            )}
          </Field>
        ) : null}
      </div>
      {placed ? (
        <PositionField
          own=""
          groupId={values.groupId ?? 0}
          latitude={form.field('latitude')}
          longitude={form.field('longitude')}
          values={values}
          onChange={change}
        />
      ) : (
        <Button type="text" className={css.position} onClick={() => setPlacing(true)}>
          {t('device.add.position')}
        </Button>
      )}
      <details className={css.more}>
        <summary>{t('device.add.more')}</summary>
        <ShortSecret checked={values.short} onChange={(short) => change({ short })} />
      </details>
    </>
  );
}
