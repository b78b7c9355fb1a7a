package org.tsmobile;

import java.util.LinkedHashMap;
import java.util.Map;

/** A value that a method takes or gives. Values do not change; tensors share their buffers with whoever has them. */
public final class IValue {
    // The tags of tsmobile.h.
    static final int NONE = 0;
    static final int BOOL = 1;
    static final int INT = 2;
    static final int FLOAT = 3;
    static final int DEVICE = 4;
    static final int COMPLEX = 5;
    static final int STR = 6;
    static final int TENSOR = 7;
    static final int LIST = 8;
    static final int TUPLE = 9;
    static final int DICT = 10;
    static final int OBJECT = 11;
    static final int ENUM = 12;
    static final String[] NAMES = {"None", "bool", "int", "float", "Device", "complex", "str", "Tensor", "List", "Tuple", "Dict", "Object", "Enum"};

    private static final IValue NOTHING = new IValue(NONE, null);

    final int tag;
    /** Boolean, Long, Double, String, double[2], Tensor, IValue[] (of a dict: keys and items in turn), or Named. */
    final Object data;

    IValue(int tag, Object data) {
        this.tag = tag;
        this.data = data;
    }

    /** An object with its attributes, or an enum member with its value. */
    static final class Named {
        final String className;
        final String[] names;
        final IValue[] items;

        Named(String className, String[] names, IValue[] items) {
            this.className = className;
            this.names = names;
            this.items = items;
        }
    }

    // ---- Making values ----

    /** None. */
    public static IValue optionalNull() {
        return NOTHING;
    }

    public static IValue from(Tensor tensor) {
        return new IValue(TENSOR, some(tensor));
    }

    public static IValue from(boolean value) {
        return new IValue(BOOL, value);
    }

    public static IValue from(long value) {
        return new IValue(INT, value);
    }

    public static IValue from(double value) {
        return new IValue(FLOAT, value);
    }

    public static IValue from(String value) {
        return new IValue(STR, some(value));
    }

    /** A complex number. */
    public static IValue complexFrom(double re, double im) {
        return new IValue(COMPLEX, new double[] {re, im});
    }

    /** A device: "cpu". */
    public static IValue deviceFrom(String name) {
        return new IValue(DEVICE, name(name));
    }

    /** A member of an enum, by the qualified name of its class (or the last part of that) and its own. */
    public static IValue enumFrom(String className, String member) {
        return new IValue(ENUM, new Named(name(className), new String[] {name(member)}, new IValue[] {NOTHING}));
    }

    private static String name(String name) {
        if (some(name).indexOf('\0') >= 0)
            throw new IllegalArgumentException("a name has a zero character");
        return name;
    }

    public static IValue listFrom(boolean... list) {
        IValue[] items = new IValue[list.length];
        for (int i = 0; i < items.length; i++)
            items[i] = from(list[i]);
        return new IValue(LIST, items);
    }

    public static IValue listFrom(long... list) {
        IValue[] items = new IValue[list.length];
        for (int i = 0; i < items.length; i++)
            items[i] = from(list[i]);
        return new IValue(LIST, items);
    }

    public static IValue listFrom(double... list) {
        IValue[] items = new IValue[list.length];
        for (int i = 0; i < items.length; i++)
            items[i] = from(list[i]);
        return new IValue(LIST, items);
    }

    public static IValue listFrom(Tensor... list) {
        IValue[] items = new IValue[list.length];
        for (int i = 0; i < items.length; i++)
            items[i] = from(list[i]);
        return new IValue(LIST, items);
    }

    /** A list; its items must be of one type. */
    public static IValue listFrom(IValue... items) {
        return new IValue(LIST, all(items));
    }

    public static IValue tupleFrom(IValue... items) {
        return new IValue(TUPLE, all(items));
    }

    public static IValue dictStringKeyFrom(Map<String, IValue> map) {
        IValue[] pairs = new IValue[2 * map.size()];
        int n = 0;
        for (Map.Entry<String, IValue> entry : map.entrySet()) {
            pairs[n++] = from(entry.getKey());
            pairs[n++] = some(entry.getValue());
        }
        return new IValue(DICT, pairs);
    }

    public static IValue dictLongKeyFrom(Map<Long, IValue> map) {
        IValue[] pairs = new IValue[2 * map.size()];
        int n = 0;
        for (Map.Entry<Long, IValue> entry : map.entrySet()) {
            pairs[n++] = from((long) entry.getKey());
            pairs[n++] = some(entry.getValue());
        }
        return new IValue(DICT, pairs);
    }

    /** A dict with keys of any type: a key and its item in turn. */
    public static IValue dictFrom(IValue... keysAndItems) {
        if (keysAndItems.length % 2 != 0)
            throw new IllegalArgumentException("the last key has no item");
        return new IValue(DICT, all(keysAndItems));
    }

    private static <T> T some(T value) {
        if (value == null)
            throw new NullPointerException("a value is null; IValue.optionalNull() is None");
        return value;
    }

    private static IValue[] all(IValue[] items) {
        IValue[] copy = items.clone();
        for (IValue item : copy)
            some(item);
        return copy;
    }

    // ---- Questions ----

    public boolean isNull() {
        return tag == NONE;
    }

    public boolean isTensor() {
        return tag == TENSOR;
    }

    public boolean isBool() {
        return tag == BOOL;
    }

    public boolean isLong() {
        return tag == INT;
    }

    public boolean isDouble() {
        return tag == FLOAT;
    }

    public boolean isString() {
        return tag == STR;
    }

    public boolean isComplex() {
        return tag == COMPLEX;
    }

    public boolean isDevice() {
        return tag == DEVICE;
    }

    /** Any list. */
    public boolean isList() {
        return tag == LIST;
    }

    /** A list of bools. An empty list is one of any type. */
    public boolean isBoolList() {
        return isListOf(BOOL);
    }

    public boolean isLongList() {
        return isListOf(INT);
    }

    public boolean isDoubleList() {
        return isListOf(FLOAT);
    }

    public boolean isTensorList() {
        return isListOf(TENSOR);
    }

    public boolean isTuple() {
        return tag == TUPLE;
    }

    /** Any dict. */
    public boolean isDict() {
        return tag == DICT;
    }

    /** A dict whose keys are strings. An empty dict is one of any type. */
    public boolean isDictStringKey() {
        return isDictOf(STR);
    }

    public boolean isDictLongKey() {
        return isDictOf(INT);
    }

    /** An object of a TorchScript class. */
    public boolean isObject() {
        return tag == OBJECT;
    }

    /** A member of an enum. */
    public boolean isEnum() {
        return tag == ENUM;
    }

    private boolean isListOf(int kind) {
        if (tag != LIST)
            return false;
        for (IValue item : (IValue[]) data)
            if (item.tag != kind)
                return false;
        return true;
    }

    private boolean isDictOf(int kind) {
        if (tag != DICT)
            return false;
        IValue[] pairs = (IValue[]) data;
        for (int i = 0; i < pairs.length; i += 2)
            if (pairs[i].tag != kind)
                return false;
        return true;
    }

    // ---- What a value holds; IllegalStateException where it is of another type ----

    public Tensor toTensor() {
        return (Tensor) of(TENSOR);
    }

    public boolean toBool() {
        return (Boolean) of(BOOL);
    }

    public long toLong() {
        return (Long) of(INT);
    }

    public double toDouble() {
        return (Double) of(FLOAT);
    }

    public String toStr() {
        return (String) of(STR);
    }

    /** The real and the imaginary part. */
    public double[] toComplex() {
        return ((double[]) of(COMPLEX)).clone();
    }

    /** The name of a device. */
    public String toDevice() {
        return (String) of(DEVICE);
    }

    public IValue[] toList() {
        return ((IValue[]) of(LIST)).clone();
    }

    public boolean[] toBoolList() {
        IValue[] items = (IValue[]) of(LIST);
        boolean[] list = new boolean[items.length];
        for (int i = 0; i < list.length; i++)
            list[i] = items[i].toBool();
        return list;
    }

    public long[] toLongList() {
        IValue[] items = (IValue[]) of(LIST);
        long[] list = new long[items.length];
        for (int i = 0; i < list.length; i++)
            list[i] = items[i].toLong();
        return list;
    }

    public double[] toDoubleList() {
        IValue[] items = (IValue[]) of(LIST);
        double[] list = new double[items.length];
        for (int i = 0; i < list.length; i++)
            list[i] = items[i].toDouble();
        return list;
    }

    public Tensor[] toTensorList() {
        IValue[] items = (IValue[]) of(LIST);
        Tensor[] list = new Tensor[items.length];
        for (int i = 0; i < list.length; i++)
            list[i] = items[i].toTensor();
        return list;
    }

    public IValue[] toTuple() {
        return ((IValue[]) of(TUPLE)).clone();
    }

    /** In the program's order. */
    public Map<String, IValue> toDictStringKey() {
        IValue[] pairs = (IValue[]) of(DICT);
        Map<String, IValue> map = new LinkedHashMap<String, IValue>();
        for (int i = 0; i < pairs.length; i += 2)
            map.put(pairs[i].toStr(), pairs[i + 1]);
        return map;
    }

    /** In the program's order. */
    public Map<Long, IValue> toDictLongKey() {
        IValue[] pairs = (IValue[]) of(DICT);
        Map<Long, IValue> map = new LinkedHashMap<Long, IValue>();
        for (int i = 0; i < pairs.length; i += 2)
            map.put(pairs[i].toLong(), pairs[i + 1]);
        return map;
    }

    /** A dict with keys of any type: a key and its item in turn. */
    public IValue[] toDict() {
        return ((IValue[]) of(DICT)).clone();
    }

    /** The attributes of an object. */
    public Map<String, IValue> toAttributes() {
        Named object = (Named) of(OBJECT);
        Map<String, IValue> map = new LinkedHashMap<String, IValue>();
        for (int i = 0; i < object.names.length; i++)
            map.put(object.names[i], object.items[i]);
        return map;
    }

    /** The name of an enum member. */
    public String toEnumName() {
        return ((Named) of(ENUM)).names[0];
    }

    /** The value of an enum member that a method gave. */
    public IValue toEnumValue() {
        return ((Named) of(ENUM)).items[0];
    }

    /** The qualified name of the class of an object or enum member. */
    public String className() {
        return ((Named) of(tag == OBJECT ? OBJECT : ENUM)).className;
    }

    private Object of(int wanted) {
        if (tag != wanted)
            throw new IllegalStateException("the value is of type " + NAMES[tag] + ", not " + NAMES[wanted]);
        return data;
    }

    @Override
    public String toString() {
        switch (tag) {
            case LIST:
            case TUPLE:
            case DICT:
                StringBuilder text = new StringBuilder(NAMES[tag]).append('(');
                IValue[] items = (IValue[]) data;
                for (int i = 0; i < items.length; i++)
                    text.append(i == 0 ? "" : tag == DICT && i % 2 == 1 ? ": " : ", ").append(items[i]);
                return text.append(')').toString();
            case COMPLEX:
                return ((double[]) data)[0] + "+" + ((double[]) data)[1] + "j";
            case OBJECT:
                return "<" + ((Named) data).className + ">";
            case ENUM:
                return ((Named) data).className + "." + ((Named) data).names[0];
            default:
                return tag == NONE ? "None" : data.toString();
        }
    }
}
