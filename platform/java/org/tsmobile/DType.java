package org.tsmobile;

/** Types of elements, with PyTorch's numbers and names. */
public enum DType {
    UINT8(0, 1, "uint8"),
    INT8(1, 1, "int8"),
    INT16(2, 2, "int16"),
    INT32(3, 4, "int32"),
    INT64(4, 8, "int64"),
    FLOAT16(5, 2, "float16"),
    FLOAT32(6, 4, "float32"),
    FLOAT64(7, 8, "float64"),
    COMPLEX32(8, 4, "complex32"),
    COMPLEX64(9, 8, "complex64"),
    COMPLEX128(10, 16, "complex128"),
    BOOL(11, 1, "bool"),
    QINT8(12, 1, "qint8"),
    QUINT8(13, 1, "quint8"),
    QINT32(14, 4, "qint32"),
    BFLOAT16(15, 2, "bfloat16"),
    FLOAT8_E5M2(23, 1, "float8_e5m2"),
    FLOAT8_E4M3FN(24, 1, "float8_e4m3fn"),
    FLOAT8_E5M2FNUZ(25, 1, "float8_e5m2fnuz"),
    FLOAT8_E4M3FNUZ(26, 1, "float8_e4m3fnuz"),
    UINT16(27, 2, "uint16"),
    UINT32(28, 4, "uint32"),
    UINT64(29, 8, "uint64");

    private static final DType[] ALL = values();
    final int number;
    final int bytes;
    private final String text;

    DType(int number, int bytes, String text) {
        this.number = number;
        this.bytes = bytes;
        this.text = text;
    }

    /** Bytes of an element. */
    public int size() {
        return bytes;
    }

    /** PyTorch's name: "float32". */
    @Override
    public String toString() {
        return text;
    }

    boolean isQuantized() {
        return this == QINT8 || this == QUINT8 || this == QINT32;
    }

    /** Null where there is none of this number. */
    static DType of(long number) {
        for (DType dtype : ALL)
            if (dtype.number == number)
                return dtype;
        return null;
    }
}
