import { useState } from 'react';
import { lazyComponent } from '@/ui/lazyComponent';
import type { DeviceOffer } from '../queries';
import type { AddWay, DeviceSearch } from '../search';
import { useAdded } from './added';

const AddDialog = lazyComponent(() => import('./AddDialog'), 'AddDialog');

interface AddHostProps {
  search: DeviceSearch;
  offer: DeviceOffer | undefined;
  onAdd: (way: AddWay | undefined) => void;
  onOpenDevice: (deviceName: string) => void;
}

/** The dialog that adds devices, whose code is fetched when it first opens. */
export function AddHost({ search: { add, product, scene }, offer, onAdd, onOpenDevice }: AddHostProps) {
  const wanted = useAdded(({ added }) => added !== null) || add !== undefined;
  const [opened, setOpened] = useState(wanted);
  if (wanted && !opened) setOpened(true);
  if (!opened) return null;
  return (
    <AddDialog
      way={add}
      offer={offer}
      preset={{ productId: product, groupId: scene }}
      onWay={onAdd}
      onClose={() => onAdd(undefined)}
      onOpenDevice={onOpenDevice}
    />
  );
}
