// What Kotlin adds: calls and values as operators.
@file:JvmName("KotlinExtensions")

package org.tsmobile

/** Calls forward, or the only method. */
operator fun Module.invoke(vararg inputs: IValue): IValue = forward(*inputs)

/** Calls forward, or the only method, with tensors. */
operator fun Module.invoke(vararg inputs: Tensor): IValue = forward(*Array(inputs.size) { IValue.from(inputs[it]) })

/** Calls a method with Kotlin's values: see [iValueOf]. */
fun Module.call(name: String, vararg inputs: Any?): IValue = runMethod(name, *Array(inputs.size) { iValueOf(inputs[it]) })

/** Calls a method without copying the tensors that it gives; they are good inside of [block]. */
inline fun <R> Module.view(name: String, vararg inputs: IValue, block: (IValue) -> R): R =
    view(name, *inputs).use { block(it.value()) }

/**
 * The value of null, a Boolean, a whole number, a float, a String, a Tensor, a List, a Pair or Triple (a tuple), or a Map.
 * An IValue stays what it is.
 */
fun iValueOf(value: Any?): IValue = when (value) {
    null -> IValue.optionalNull()
    is IValue -> value
    is Tensor -> IValue.from(value)
    is Boolean -> IValue.from(value)
    is Long -> IValue.from(value)
    is Int -> IValue.from(value.toLong())
    is Short -> IValue.from(value.toLong())
    is Byte -> IValue.from(value.toLong())
    is Double -> IValue.from(value)
    is Float -> IValue.from(value.toDouble())
    is String -> IValue.from(value)
    is List<*> -> IValue.listFrom(*Array(value.size) { iValueOf(value[it]) })
    is Pair<*, *> -> IValue.tupleFrom(iValueOf(value.first), iValueOf(value.second))
    is Triple<*, *, *> -> IValue.tupleFrom(iValueOf(value.first), iValueOf(value.second), iValueOf(value.third))
    is Map<*, *> -> IValue.dictFrom(*value.entries.flatMap { listOf(iValueOf(it.key), iValueOf(it.value)) }.toTypedArray())
    else -> throw IllegalArgumentException("a value of ${value::class.java.name} has no counterpart in a program")
}

/** The items of a list or tuple. */
val IValue.items: Array<IValue>
    get() = if (isTuple) toTuple() else toList()

/** Item [index] of a list or tuple. */
operator fun IValue.get(index: Int): IValue = items[index]

/** What a dict has for a key, or an object as an attribute; null where there is none. */
operator fun IValue.get(key: String): IValue? = (if (isObject) toAttributes() else toDictStringKey())[key]

/** val (boxes, scores) = module(x) */
operator fun IValue.component1(): IValue = get(0)

operator fun IValue.component2(): IValue = get(1)

operator fun IValue.component3(): IValue = get(2)

operator fun IValue.component4(): IValue = get(3)

/** A tensor of a copy of the array; without sizes it has one dimension. */
fun FloatArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape.orIfEmpty(size))

fun DoubleArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape.orIfEmpty(size))

fun IntArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape.orIfEmpty(size))

fun LongArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape.orIfEmpty(size))

fun ByteArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape.orIfEmpty(size))

fun BooleanArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape.orIfEmpty(size))

private fun LongArray.orIfEmpty(size: Int): LongArray = if (isEmpty()) longArrayOf(size.toLong()) else this
