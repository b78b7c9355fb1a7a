package org.tsmobile;

import java.util.ArrayList;
import java.util.List;

/** Arguments as words, the items of a container before it: values.c makes values of them. */
final class Arguments {
    private final Words words;
    private final List<Object> data = new ArrayList<Object>();
    int values;

    Arguments(Words words) {
        this.words = words;
    }

    /** The buffers of tensors. */
    Object[] data() {
        return data.toArray();
    }

    void put(IValue v) {
        if (v == null)
            throw new NullPointerException("an argument is null; IValue.optionalNull() is None");
        values++;
        switch (v.tag) {
            case IValue.LIST:
            case IValue.TUPLE:
            case IValue.DICT:
                IValue[] items = (IValue[]) v.data;
                for (IValue item : items)
                    put(item);
                words.put((long) v.tag);
                words.put((long) (v.tag == IValue.DICT ? items.length / 2 : items.length));
                break;
            case IValue.TENSOR:
                putTensor((Tensor) v.data);
                break;
            default:
                words.put((long) v.tag);
                putPlain(v);
        }
    }

    private void putPlain(IValue v) {
        switch (v.tag) {
            case IValue.BOOL:
                words.put((Boolean) v.data ? 1L : 0L);
                break;
            case IValue.INT:
                words.put((long) (Long) v.data);
                break;
            case IValue.FLOAT:
                words.put((double) (Double) v.data);
                break;
            case IValue.COMPLEX:
                words.put(((double[]) v.data)[0]);
                words.put(((double[]) v.data)[1]);
                break;
            case IValue.STR:
            case IValue.DEVICE:
                words.put((String) v.data);
                break;
            case IValue.ENUM:
                words.put(((IValue.Named) v.data).className);
                words.put(((IValue.Named) v.data).names[0]);
                break;
            case IValue.OBJECT:
                throw new TsmException(Status.BAD_ARGUMENT, "an object of " + ((IValue.Named) v.data).className + " cannot be an argument");
            default: // None
        }
    }

    private void putTensor(Tensor t) {
        words.put((long) IValue.TENSOR);
        words.put((long) data.size());
        words.put((long) t.dtype.number);
        words.put((long) t.shape.length);
        for (long size : t.shape)
            words.put(size);
        long[] strides = t.memoryFormat.strides(t.shape);
        words.put(strides == null ? 0L : 1L);
        for (int d = 0; strides != null && d < strides.length; d++)
            words.put(strides[d]);
        words.put(t.quantizer == null ? -2L : (long) t.quantizer.axis);
        if (t.quantizer != null)
            putQuantizer(t.quantizer);
        data.add(t.data);
    }

    private void putQuantizer(Quantizer q) {
        words.put((long) q.scales.length);
        for (double scale : q.scales)
            words.put(scale);
        for (long zeroPoint : q.zeroPoints)
            words.put(zeroPoint);
    }
}
